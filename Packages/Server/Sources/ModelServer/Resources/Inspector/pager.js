import { button, element } from "./element.js";
import { icon } from "./icons.js";

export const pageSizes = [25, 50, 100, 500];

/** The controls below a table. `actions` has `go(offset)` and `resize(size)`. */
export class Pager {
  constructor(actions) {
    const turn = (name, title, offset) =>
      button({ class: "icon-only", "aria-label": title, title, click: () => actions.go(offset()) }, icon(name));
    this.range = element("span", { class: "range", "aria-live": "polite" });
    this.time = element("span", { class: "muted small time" });
    this.first = turn("first", "First page", () => 0);
    this.back = turn("left", "Previous page", () => Math.max(0, this.offset - this.size));
    this.forward = turn("right", "Next page", () => this.offset + this.size);
    this.last = turn("last", "Last page", () => Math.max(0, Math.floor((this.total - 1) / this.size) * this.size));
    this.sizes = element("select", {
      "aria-label": "Rows in a page",
      change: () => actions.resize(Number(this.sizes.value)),
    }, pageSizes.map((size) => element("option", { value: size }, `${size} rows`)));
    this.element = element(
      "div",
      { class: "pager", role: "group", "aria-label": "Pages" },
      this.range,
      this.time,
      this.sizes,
      this.first,
      this.back,
      this.forward,
      this.last,
    );
  }

  /** Shows a page. `total` is null as long as it is unknown. */
  show({ offset, size, shown, total, hasNext, milliseconds }) {
    Object.assign(this, { offset, size, total });
    const number = (value) => value.toLocaleString("en");
    const of = total === null ? "" : ` of ${number(total)}`;
    this.range.textContent = shown === 0
      ? (total === null ? "" : `0${of}`)
      : `${number(offset + 1)}–${number(offset + shown)}${of}`;
    this.time.textContent = milliseconds === null ? "" : `${milliseconds} ms`;
    this.sizes.value = String(size);
    this.first.disabled = this.back.disabled = offset === 0;
    this.forward.disabled = !hasNext;
    this.last.disabled = !hasNext || total === null;
  }
}
