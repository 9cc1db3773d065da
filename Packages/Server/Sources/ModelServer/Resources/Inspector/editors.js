import { button, element } from "./element.js";
import { isEqual, text } from "./json.js";
import { icon } from "./icons.js";
import { knownName, loadNames } from "./labels.js";
import { RecordPicker } from "./picker.js";
import { byteCount, editedText, InvalidValue, isNumeric, localDate, valueOf } from "./values.js";

/**
 * Returns the editor of a column's value: its `element`, its `control`, which has the focus and the label, and
 * `read()`, which returns the value or throws `InvalidValue`.
 */
export function editor(column, value, { id, schema }) {
  if (column.type === "reference") {
    const related = schema.type(column.to);
    if (related) {
      return column.isToMany
        ? referencesEditor(related, value, id, column)
        : referenceEditor(related, value, id, column);
    }
  }
  if (column.type === "boolean") return booleanEditor(column, value, id);
  const zoned = column.type === "date" && (value === null || localDate(value) !== null);
  if (zoned) return dateEditor(value, id);
  return textEditor(column, value, id);
}

function referenceEditor(related, value, id, column) {
  const picker = new RecordPicker(related, value, { id, canClear: true });
  picker.clear.setAttribute("aria-label", `Remove ${column.key}`);
  return { element: picker.element, control: picker.input, read: () => picker.identifier };
}

function referencesEditor(related, value, id, column) {
  const identifiers = [...(value ?? [])];
  const chips = element("ul", { class: "chips" });
  const picker = new RecordPicker(related, null, { id, canClear: false });
  const show = () =>
    chips.replaceChildren(
      ...identifiers.map((identifier, index) =>
        element(
          "li",
          { class: "chip" },
          element("bdi", {}, knownName(related, identifier) ?? text(identifier)),
          button({
            class: "quiet icon-only",
            "aria-label": `Remove ${knownName(related, identifier) ?? text(identifier)} from ${column.key}`,
            click: () => {
              identifiers.splice(index, 1);
              show();
              picker.input.focus();
            },
          }, icon("close")),
        )
      ),
    );
  picker.element.addEventListener("change", () => {
    if (picker.identifier !== null && !identifiers.some((each) => isEqual(each, picker.identifier))) {
      identifiers.push(picker.identifier);
    }
    picker.identifier = null;
    picker.input.value = "";
    show();
  });
  show();
  loadNames(related, identifiers).then(show, () => {});
  return {
    element: element("div", {}, chips, picker.element),
    control: picker.input,
    read: () => (value === null && identifiers.length === 0 ? null : identifiers),
  };
}

function booleanEditor(column, value, id) {
  const control = element(
    "select",
    { id },
    column.isRequired ? null : element("option", { value: "" }, "nil"),
    element("option", { value: "true" }, "true"),
    element("option", { value: "false" }, "false"),
  );
  control.value = value === null ? (column.isRequired ? "false" : "") : String(value);
  return { element: control, control, read: () => (control.value === "" ? null : control.value === "true") };
}

function dateEditor(value, id) {
  const control = element("input", { id, type: "datetime-local", step: value?.includes(".") ? "0.001" : "1" });
  const initial = value === null ? "" : localDate(value);
  control.value = initial;
  const initialControl = control.value;
  return {
    element: control,
    control,
    read: () => {
      if (control.validity.badInput) throw new InvalidValue("Enter the whole date and time, or remove it.");
      // An unchanged control keeps digits of the value that it can't show.
      if (control.value === initialControl) return value;
      return control.value === "" ? null : valueOf(control.value, "date");
    },
  };
}

function textEditor(column, value, id) {
  const { type } = column;
  const initial = editedText(value, type);
  const isLong = type === "json" || type === "data" ||
    (type === "string" && (initial.length > 60 || initial.includes("\n") || Number(column.maximum ?? 0) > 255));
  const control = isLong
    ? element("textarea", {
      id,
      rows: Math.min(12, Math.max(2, Math.ceil(initial.length / 48), initial.split("\n").length)),
    })
    : element("input", { id });
  control.value = initial;
  control.spellcheck = false;
  control.setAttribute("autocomplete", "off");
  if (type === "string") control.dir = "auto";
  if (isNumeric(type)) control.inputMode = type === "integer" ? "numeric" : "decimal";
  if (type === "json" || type === "data" || type === "uuid") control.classList.add("mono");
  if (type !== "string") {
    if (!column.isRequired) control.placeholder = "nil";
    return {
      element: control,
      control,
      read:
        () => (control.value === initial ? value : control.value.trim() === "" ? null : valueOf(control.value, type)),
      hint: type === "data" && value ? `${byteCount(value)} bytes` : "",
    };
  }
  if (column.isRequired) return { element: control, control, read: () => control.value };
  // An optional text has two values without characters: nil, and the empty text.
  let isNil = value === null;
  const toggle = button({
    class: "nil-toggle",
    "aria-label": `Set ${column.key} to nil`,
    click: () => {
      control.value = "";
      isNil = !isNil;
      show();
      control.dispatchEvent(new Event("input", { bubbles: true }));
      control.focus();
    },
  }, "nil");
  const show = () => {
    toggle.setAttribute("aria-pressed", String(isNil));
    control.placeholder = isNil ? "nil" : "empty text";
  };
  control.addEventListener("input", () => {
    if (control.value !== "") isNil = false;
    show();
  });
  show();
  return {
    element: element("div", { class: "with-toggle" }, control, toggle),
    control,
    read: () => (control.value === "" && isNil ? null : control.value),
  };
}
