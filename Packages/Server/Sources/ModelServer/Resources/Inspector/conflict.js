import { ask } from "./dialog.js";
import { element, uniqueID } from "./element.js";
import { isEqual } from "./json.js";
import { valueAt } from "./schema.js";
import { shownValue } from "./values.js";

/**
 * Shows a conflict between two writers: the version that both began with, and the two results.
 *
 * Returns the changes to write to the current version; null if the person continues to edit.
 */
export async function resolve(type, base, changes, current) {
  const columns = type.columns.filter((column) =>
    changes.has(column.key) || !isEqual(valueAt(base, column.key), valueAt(current, column.key))
  );
  const choices = new Map();
  const rows = columns.map((column) => {
    const theirs = valueAt(current, column.key);
    const isTheirs = !isEqual(valueAt(base, column.key), theirs);
    const isMine = changes.has(column.key);
    const yours = isMine ? changes.get(column.key) : valueAt(base, column.key);
    choices.set(column.key, isMine);
    const cell = (value, takesMine) => {
      const isChoice = isMine && isTheirs;
      const radio = isChoice &&
        element("input", {
          type: "radio",
          name,
          "aria-label": `${takesMine ? "Yours" : "Theirs"} for ${column.key}`,
          change: () => choices.set(column.key, takesMine),
        });
      if (radio) radio.checked = takesMine;
      const isUsed = isChoice || takesMine === isMine;
      return element(
        "td",
        { class: isUsed ? null : "muted" },
        element("label", { class: "check" }, radio, shownValue(value, column.type)),
      );
    };
    const name = uniqueID("choice");
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, column.key),
      element("td", { class: "muted" }, shownValue(valueAt(base, column.key), column.type)),
      cell(yours, true),
      cell(theirs, false),
    );
  });
  const action = await ask("This record was changed by another writer", [
    element(
      "p",
      {},
      "It changed after you opened it, and nothing was written. Choose a value for each field that both changed.",
    ),
    element(
      "div",
      { class: "conflict" },
      element(
        "table",
        {},
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["Field", "Base", "Yours", "Theirs"].map((title) => element("th", { scope: "col" }, title)),
          ),
        ),
        element("tbody", {}, rows),
      ),
    ),
  ], [
    { name: "edit", title: "Continue editing" },
    { name: "theirs", title: "Discard my changes", style: "danger" },
    { name: "save", title: "Save the chosen values", style: "primary", isDefault: true },
  ]);
  if (action === "theirs") return new Map();
  if (action !== "save") return null;
  return new Map([...changes].filter(([key]) => choices.get(key)));
}
