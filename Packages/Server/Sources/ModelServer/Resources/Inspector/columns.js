import { button, element } from "./element.js";

// The columns that a person chose, by type. They stay in this browser.

const setting = (type) => `inspector.columns.${type.name}`;

export function hiddenColumns(type) {
  try {
    return new Set(JSON.parse(localStorage.getItem(setting(type)) ?? "[]"));
  } catch {
    return new Set();
  }
}

export function visibleColumns(type) {
  const hidden = hiddenColumns(type);
  const visible = type.columns.filter((column) => !hidden.has(column.key));
  return visible.length ? visible : type.columns.slice(0, 1);
}

/** Shows the choice of columns below a button. */
export function chooseColumns(type, opener, changed) {
  const existing = document.querySelector(".popover");
  if (existing) return existing.remove();
  const hidden = hiddenColumns(type);
  const save = () => {
    localStorage.setItem(setting(type), JSON.stringify([...hidden]));
    changed();
  };
  const boxes = type.columns.map((column) => {
    const box = element("input", {
      type: "checkbox",
      change: () => {
        if (box.checked) hidden.delete(column.key);
        else hidden.add(column.key);
        save();
      },
    });
    box.checked = !hidden.has(column.key);
    return {
      box,
      label: element(
        "label",
        {},
        box,
        element("span", {}, column.key),
        element("span", { class: "muted small" }, column.kind === "relation" ? column.to : column.type),
      ),
    };
  });
  const popover = element(
    "div",
    { class: "popover", role: "dialog", "aria-label": "Columns" },
    boxes.map(({ label }) => label),
    element(
      "div",
      { class: "row" },
      button({
        click: () => {
          hidden.clear();
          for (const { box } of boxes) box.checked = true;
          save();
        },
      }, "Show all"),
    ),
  );
  document.body.append(popover);
  const place = opener.getBoundingClientRect();
  popover.style.top = `${place.bottom + 4}px`;
  popover.style.left = `${Math.max(8, Math.min(place.left, innerWidth - popover.offsetWidth - 8))}px`;
  boxes[0]?.box.focus();
  const close = (returnsFocus) => {
    popover.remove();
    document.removeEventListener("pointerdown", outside, true);
    opener.setAttribute("aria-expanded", "false");
    if (returnsFocus) opener.focus();
  };
  const outside = (event) => {
    if (!popover.contains(event.target) && !opener.contains(event.target)) close(false);
  };
  document.addEventListener("pointerdown", outside, true);
  popover.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") close(true);
  });
  popover.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !popover.contains(event.relatedTarget)) close(false);
  });
  opener.setAttribute("aria-expanded", "true");
}
