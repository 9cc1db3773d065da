import { element } from "./element.js";
import { ask } from "./dialog.js";

// Shortcuts with one key. They can be switched off, because speech input types letters by accident.

const setting = "inspector.shortcuts";
const shortcuts = new Map();

export function areShortcutsOn() {
  return localStorage.getItem(setting) !== "off";
}

/** Adds the function of a key. A later one replaces it. */
export function onKey(key, description, call) {
  shortcuts.set(key, { description, call });
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !areShortcutsOn()) return;
  if (event.target.closest?.("input, select, textarea, dialog, [contenteditable]")) return;
  const shortcut = shortcuts.get(event.key);
  if (!shortcut) return;
  event.preventDefault();
  shortcut.call();
});

const fixed = [
  ["↑ ↓ ← →", "Move between the cells of the table"],
  ["Home, End", "First or last column; with Control first or last row"],
  ["Enter", "Open the record of the row"],
  ["F2 or e", "Edit the cell in place"],
  ["Delete", "Delete the record of the row"],
  ["Control+Enter", "Save the record"],
  ["Esc", "Close the record, the dialog, or the cell editor"],
];

export async function showHelp() {
  const toggle = element("input", {
    type: "checkbox",
    change: () => localStorage.setItem(setting, toggle.checked ? "on" : "off"),
  });
  toggle.checked = areShortcutsOn();
  const row = (keys, description) =>
    element(
      "tr",
      {},
      element("td", {}, keys.split(" ").map((key) => [element("kbd", {}, key), " "])),
      element("td", {}, description),
    );
  await ask("Keyboard", [
    element("label", { class: "check" }, toggle, "Use shortcuts of one key"),
    element(
      "table",
      { class: "keys" },
      element(
        "tbody",
        {},
        [...shortcuts].map(([key, { description }]) => row(key, description)),
        fixed.map(([keys, description]) =>
          element("tr", {}, element("td", {}, element("kbd", {}, keys)), element("td", {}, description))
        ),
      ),
    ),
  ]);
}
