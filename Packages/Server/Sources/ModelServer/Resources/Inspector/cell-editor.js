import { button, element, uniqueID } from "./element.js";
import { editor } from "./editors.js";
import { isEqual } from "./json.js";
import { report } from "./notice.js";
import { saveCell } from "./saving.js";
import { valueAt } from "./schema.js";
import { InvalidValue } from "./values.js";

/** Edits a value in its cell. It calls `done` with the saved record, or with null. */
export function editCell(type, record, column, cell, done) {
  if (!type.allows.update || column.key === type.identifier || cell.querySelector(".cell-editor")) return;
  const value = valueAt(record, column.key);
  const id = uniqueID("cell");
  const edited = editor(column, value, { id, schema: type.schema });
  edited.control.setAttribute("aria-label", `${column.key} of ${type.nameOf(record)}`);
  const message = element("p", { class: "error-text small", id: `${id}-message`, role: "alert" });
  const content = [...cell.childNodes];
  let isSaving = false;
  const close = (saved) => {
    cell.replaceChildren(...content);
    done(saved);
  };
  const fail = (text) => {
    message.textContent = text;
    edited.control.setAttribute("aria-invalid", "true");
    edited.control.setAttribute("aria-describedby", message.id);
    edited.control.focus();
  };
  const save = async () => {
    if (isSaving) return;
    isSaving = true;
    try {
      const entered = edited.read();
      if (isEqual(entered, value)) return close(null);
      const saved = await saveCell(type, record, column, entered);
      // After a conflict the person continues to edit.
      if (saved === null) return edited.control.focus();
      close(saved);
    } catch (error) {
      if (error instanceof InvalidValue) fail(error.message);
      else if (error.status === 422) {
        fail(Object.entries(error.errors).map(([, messages]) => messages.join(", ")).join("; ") || error.message);
      } else {
        close(null);
        report(error);
      }
    } finally {
      isSaving = false;
    }
  };
  cell.replaceChildren(element(
    "div",
    {
      class: "cell-editor",
      keydown: (event) => {
        event.stopPropagation();
        if (event.key === "Escape" && !event.defaultPrevented) {
          event.preventDefault();
          close(null);
        }
        if (event.key === "Enter" && !event.shiftKey && !event.defaultPrevented) {
          event.preventDefault();
          save();
        }
      },
      focusout: (event) => {
        const isInside = event.currentTarget.contains(event.relatedTarget);
        // Leaving the cell saves a change, as in a spreadsheet; a value with a message stays open.
        if (!isInside && event.relatedTarget && !message.textContent) save();
      },
    },
    edited.element,
    element(
      "div",
      { class: "cell-buttons" },
      button({ class: "primary", click: save }, "Save"),
      button({ click: () => close(null) }, "Cancel"),
    ),
    message,
  ));
  edited.control.focus();
  edited.control.select?.();
}
