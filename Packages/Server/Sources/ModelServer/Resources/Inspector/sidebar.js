import { get } from "./client.js";
import { element } from "./element.js";
import { icon } from "./icons.js";
import { report } from "./notice.js";
import { typeAddress } from "./route.js";

/** The types with the numbers of their records. */
export class Sidebar {
  constructor(schema) {
    this.counts = {};
    this.panel = document.getElementById("side");
    this.menu = document.getElementById("menu");
    this.links = new Map(schema.types.map((type) => {
      const count = element("span", { class: "count" });
      const link = element(
        "a",
        { href: typeAddress(type.name), title: type.name.length > 22 ? type.name : null },
        element("bdi", { class: "name" }, type.name),
        count,
      );
      return [type.name, { link, count }];
    }));
    const links = [...this.links.values()].map(({ link }) => link);
    const find = schema.types.length > 12 && element("input", {
      type: "search",
      placeholder: "Find a type",
      "aria-label": "Find a type",
      input: () => {
        const wanted = find.value.trim().toLowerCase();
        for (const [name, { link }] of this.links) link.hidden = !name.toLowerCase().includes(wanted);
      },
    });
    this.panel.replaceChildren(...[find, ...links].filter(Boolean));
    this.panel.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const visible = links.filter((link) => !link.hidden);
      if (event.key === "Escape") this.close();
      if (!step || visible.length === 0) return;
      event.preventDefault();
      visible[(visible.indexOf(document.activeElement) + step + visible.length) % visible.length].focus();
    });
    this.panel.addEventListener("click", (event) => {
      if (event.target.closest("a")) this.close();
    });
    this.menu.replaceChildren(icon("menu"));
    this.menu.addEventListener("click", () => (this.panel.classList.contains("open") ? this.close() : this.open()));
    document.addEventListener("pointerdown", (event) => {
      if (!this.panel.contains(event.target) && !this.menu.contains(event.target)) this.close();
    });
    this.load().catch(report);
  }

  async load() {
    try {
      const { value } = await get("counts");
      this.counts = value;
      for (const [name, { count }] of this.links) count.textContent = value[name]?.toLocaleString("en") ?? "";
    } catch (error) {
      report(error);
    }
  }

  mark(name) {
    for (const [each, { link }] of this.links) {
      if (each === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  open() {
    this.panel.classList.add("open");
    this.menu.setAttribute("aria-expanded", "true");
    this.focus();
  }

  close() {
    this.panel.classList.remove("open");
    this.menu.setAttribute("aria-expanded", "false");
  }

  focus() {
    if (getComputedStyle(this.panel).visibility === "hidden") this.open();
    (this.panel.querySelector("a[aria-current]") ?? this.panel.querySelector("a"))?.focus();
  }
}
