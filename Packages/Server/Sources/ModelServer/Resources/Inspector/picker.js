import { get, listPath } from "./client.js";
import { button, delayed, element, uniqueID } from "./element.js";
import { icon } from "./icons.js";
import { text } from "./json.js";
import { knownName, loadNames, rememberName } from "./labels.js";
import { searchJSON } from "./query.js";
import { valueAt } from "./schema.js";

/**
 * A control that finds a record of a type by its name. `identifier` is the chosen one, or null. It sends `change`
 * events.
 */
export class RecordPicker {
  constructor(type, identifier, { id = uniqueID("picker"), label = null, canClear = true } = {}) {
    this.type = type;
    this.identifier = identifier;
    this.options = [];
    this.active = -1;
    this.list = element("ul", {
      class: "options",
      id: `${id}-list`,
      role: "listbox",
      "aria-label": label ?? type.name,
      hidden: true,
    });
    this.input = element("input", {
      id,
      role: "combobox",
      autocomplete: "off",
      "aria-autocomplete": "list",
      "aria-expanded": false,
      "aria-controls": `${id}-list`,
      "aria-label": label,
      placeholder: `Find ${type.name} by name`,
      dir: "auto",
      input: delayed(180, () => this.search()),
      focus: () => this.input.select(),
      blur: () => this.close(),
      keydown: (event) => this.press(event),
    });
    this.clear = canClear &&
      button({
        class: "quiet icon-only",
        "aria-label": `Remove ${label ?? type.name}`,
        click: () => this.choose(null, ""),
      }, icon("close"));
    this.element = element("div", { class: "picker" }, this.input, this.clear, this.list);
    this.showName();
  }

  showName() {
    this.input.value = "";
    if (this.clear) this.clear.hidden = this.identifier === null;
    if (this.identifier === null) return;
    const { identifier } = this;
    const show = () => {
      if (this.identifier !== identifier || document.activeElement === this.input) return;
      const name = knownName(this.type, identifier);
      this.input.value = name === null ? `${text(identifier)} (missing)` : name ?? text(identifier);
    };
    show();
    if (knownName(this.type, identifier) === undefined) loadNames(this.type, [identifier]).then(show, () => {});
  }

  async search() {
    this.aborter?.abort();
    this.aborter = new AbortController();
    const where = searchJSON(this.input.value, this.type, this.type.label) || null;
    try {
      const { value } = await get(listPath(this.type.path, { limit: 20, where }), { signal: this.aborter.signal });
      if (document.activeElement === this.input) this.open(value);
    } catch (error) {
      if (error.name !== "AbortError") this.open([], error.message);
    }
  }

  open(records, message = "No match") {
    this.options = records;
    this.active = -1;
    for (const record of records) rememberName(this.type, record);
    this.list.replaceChildren(...records.map((record, index) =>
      element(
        "li",
        {
          role: "option",
          id: `${this.list.id}-${index}`,
          "aria-selected": false,
          // The mouse must not take the focus, which would close the list.
          mousedown: (event) => {
            event.preventDefault();
            this.chooseOption(index);
          },
        },
        element("bdi", {}, this.type.nameOf(record)),
        element("span", { class: "muted small" }, this.type.identifierOf(record)),
      )
    ));
    if (records.length === 0) {
      this.list.append(
        element("li", { class: "muted", role: "option", "aria-disabled": true, "aria-selected": false }, message),
      );
    }
    this.list.hidden = false;
    // Above the field, if there is no space below it.
    const box = this.input.getBoundingClientRect();
    this.list.classList.toggle("above", innerHeight - box.bottom < 300 && box.top > 300);
    this.input.setAttribute("aria-expanded", "true");
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.showName();
  }

  press(event) {
    if (event.key === "Escape" && !this.list.hidden) {
      event.stopPropagation();
      event.preventDefault();
      this.list.hidden = true;
      this.input.setAttribute("aria-expanded", "false");
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) return void this.search();
      this.activate(this.active + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && !this.list.hidden && this.options.length) {
      event.preventDefault();
      event.stopPropagation();
      this.chooseOption(Math.max(0, this.active));
    }
  }

  activate(index) {
    if (this.options.length === 0) return;
    this.active = (index + this.options.length) % this.options.length;
    [...this.list.children].forEach((child, position) =>
      child.setAttribute("aria-selected", String(position === this.active))
    );
    const current = this.list.children[this.active];
    current.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", current.id);
  }

  chooseOption(index) {
    const record = this.options[index];
    this.choose(valueAt(record, this.type.identifier), this.type.nameOf(record));
  }

  choose(identifier, name) {
    this.identifier = identifier;
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.value = name;
    if (this.clear) this.clear.hidden = identifier === null;
    this.element.dispatchEvent(new Event("change", { bubbles: true }));
  }
}
