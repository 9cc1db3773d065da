import { button, element } from "./element.js";
import { icon } from "./icons.js";
import { isEqual, text } from "./json.js";
import { knownName } from "./labels.js";
import { fieldJSON } from "./query.js";
import { typeAddress } from "./route.js";
import { valueAt } from "./schema.js";
import { isNumeric, shownValue } from "./values.js";

/**
 * The table of the records of a page. One cell is in the order of focus; arrows move it.
 *
 * `actions` has the functions `open(record)`, `edit(record, column, cell)`, `remove(record)` and `sort(sort)`.
 */
export class Grid {
  constructor(type, actions) {
    this.type = type;
    this.actions = actions;
    this.records = [];
    this.rows = [];
    this.position = [0, 0];
    this.head = element("thead");
    this.body = element("tbody", {
      keydown: (event) => this.press(event),
      click: (event) => this.click(event),
      focusin: (event) => this.follow(event),
      mouseover: (event) => this.offerEditing(event),
    });
    this.table = element(
      "table",
      { role: "grid", "aria-label": `Records of ${type.name}`, "aria-readonly": !type.allows.update },
      this.head,
      this.body,
    );
    this.element = element("div", { class: "scroller" }, this.table);
    this.pencil = button({ class: "pencil quiet icon-only", tabindex: "-1", "aria-label": "Edit this cell" }, "✎");
  }

  show(records, { columns, sort, total, offset, marksChanges }) {
    const before = marksChanges
      ? new Map(this.records.map((record) => [this.type.identifierOf(record), record]))
      : null;
    const hadFocus = this.body.contains(document.activeElement) && !document.activeElement.closest(".cell-editor");
    if (document.querySelector(".cell-editor")) return;
    this.records = records;
    this.columns = columns;
    this.table.setAttribute("aria-rowcount", total === null ? -1 : total + 1);
    this.table.setAttribute("aria-colcount", columns.length);
    this.head.replaceChildren(
      element("tr", { "aria-rowindex": 1 }, columns.map((column) => this.headCell(column, sort))),
    );
    this.rows = records.map((record, index) => this.row(record, offset + index, before));
    this.body.replaceChildren(...this.rows);
    this.position = [
      Math.min(this.position[0], Math.max(0, records.length - 1)),
      Math.min(this.position[1], columns.length - 1),
    ];
    this.select(this.opened);
    this.cell()?.setAttribute("tabindex", "0");
    if (hadFocus) this.cell()?.focus({ preventScroll: true });
  }

  headCell(column, sort) {
    const path = this.sortPath(column);
    const field = path && fieldJSON(path);
    const current = field && sort.find((each) => isEqual(each.field, field));
    const direction = current ? (current.descending ? "descending" : "ascending") : "none";
    const note = column.kind === "relation" ? column.to : column.type;
    const content = [element("span", { class: "key" }, column.key), element("span", { class: "type" }, note)];
    // With Shift a column comes after those that sort already.
    const others = sort.filter((each) => each !== current);
    const turned = current ? (current.descending ? [] : [{ field, descending: true }]) : [{ field }];
    return element(
      "th",
      {
        scope: "col",
        role: "columnheader",
        class: isNumeric(column.type) ? "number" : null,
        "aria-sort": path ? direction : null,
      },
      path
        ? button(
          {
            class: "sort",
            title: `Sort by ${column.key}; with Shift after other columns`,
            click: (event) => this.actions.sort(event.shiftKey ? [...others, ...turned] : turned),
          },
          content,
          current && icon(current.descending ? "down" : "up"),
        )
        : element("span", { class: "sort" }, content),
    );
  }

  /** Returns the path by which a column is sorted: that of the name for a related record. */
  sortPath(column) {
    if (column.kind === "field") return ["json", "data"].includes(column.type) ? null : [column.key];
    const related = this.type.schema.type(column.to);
    return column.type === "reference" && !column.isToMany && related?.label ? [column.key, related.label] : null;
  }

  row(record, index, before) {
    const identifier = this.type.identifierOf(record);
    const old = before?.get(identifier);
    return element(
      "tr",
      { "aria-rowindex": index + 2, "data-id": identifier, class: before && !old ? "changed" : null },
      this.columns.map((column, position) => {
        const isChanged = old && !isEqual(valueAt(old, column.key), valueAt(record, column.key));
        return element("td", {
          role: "gridcell",
          tabindex: "-1",
          "aria-colindex": position + 1,
          class: [isNumeric(column.type) && "number", column.key === this.type.label && "label", isChanged && "changed"]
            .filter(Boolean).join(" ") || null,
        }, this.content(record, column));
      }),
    );
  }

  content(record, column) {
    const value = valueAt(record, column.key);
    const related = column.type === "reference" && this.type.schema.type(column.to);
    if (!related || value === null) return shownValue(value, column.type);
    const identifiers = Array.isArray(value) ? value : [value];
    if (identifiers.length === 0) return element("span", { class: "nil" }, "none");
    const shown = identifiers.slice(0, 3).map((identifier, index) => {
      const name = knownName(related, identifier);
      return [
        index > 0 && ", ",
        element("a", {
          href: typeAddress(related.name, {}, text(identifier)),
          tabindex: "-1",
          class: name === null ? "missing" : null,
          title: name === null ? "There is no such record" : name,
        }, element("bdi", {}, name === null ? `${text(identifier)} (missing)` : name ?? text(identifier))),
      ];
    });
    return element("span", {}, shown, identifiers.length > 3 && ` and ${identifiers.length - 3} more`);
  }

  /** Replaces a record after a change. */
  replace(record) {
    const index = this.records.findIndex((each) => this.type.identifierOf(each) === this.type.identifierOf(record));
    if (index < 0) return;
    this.records[index] = record;
    const row = this.row(record, Number(this.rows[index].getAttribute("aria-rowindex")) - 2, null);
    this.rows[index].replaceWith(row);
    this.rows[index] = row;
    if (index === this.position[0]) this.cell()?.setAttribute("tabindex", "0");
    this.select(this.opened);
  }

  /** Marks the row of the record that is open beside the table. */
  select(identifier) {
    this.opened = identifier ?? null;
    for (const row of this.rows) {
      row.setAttribute("aria-selected", String(this.opened !== null && row.dataset.id === this.opened));
    }
  }

  cell([row, column] = this.position) {
    return this.rows[row]?.children[column] ?? null;
  }

  focus() {
    this.cell()?.focus();
  }

  move(row, column) {
    if (this.rows.length === 0) return;
    this.cell()?.setAttribute("tabindex", "-1");
    this.position = [
      Math.max(0, Math.min(row, this.rows.length - 1)),
      Math.max(0, Math.min(column, this.columns.length - 1)),
    ];
    const cell = this.cell();
    cell.setAttribute("tabindex", "0");
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  follow(event) {
    const cell = event.target.closest("td");
    if (!cell || cell === this.cell()) return;
    this.cell()?.setAttribute("tabindex", "-1");
    this.position = [this.rows.indexOf(cell.parentElement), [...cell.parentElement.children].indexOf(cell)];
    cell.setAttribute("tabindex", "0");
  }

  press(event) {
    if (event.target.closest(".cell-editor") || event.altKey || event.metaKey) return;
    const [row, column] = this.position;
    const record = this.records[row];
    const isRightToLeft = getComputedStyle(this.table).direction === "rtl";
    const moves = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + (isRightToLeft ? -1 : 1)],
      ArrowLeft: [row, column - (isRightToLeft ? -1 : 1)],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? this.rows.length : row, this.columns.length],
      PageDown: [row + 10, column],
      PageUp: [row - 10, column],
    };
    if (moves[event.key]) this.move(...moves[event.key]);
    else if (event.ctrlKey || !record) return;
    else if (event.key === "Enter") this.actions.open(record);
    else if (event.key === "F2" || event.key === "e") this.actions.edit(record, this.columns[column], this.cell());
    else if (event.key === "Delete") this.actions.remove(record);
    else if (event.key === "g") this.cell().querySelector("a")?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  click(event) {
    if (event.target.closest("a, .cell-editor")) return;
    const cell = event.target.closest("td");
    const record = this.records[this.rows.indexOf(cell?.parentElement)];
    if (!record) return;
    if (event.target.closest(".pencil")) this.actions.edit(record, this.columns[this.position[1]], cell);
    else if (getSelection().isCollapsed) this.actions.open(record);
  }

  offerEditing(event) {
    const cell = event.target.closest("td");
    if (!cell || this.pencil.parentElement === cell || !this.type.allows.update || cell.querySelector(".cell-editor")) {
      return;
    }
    const index = [...cell.parentElement.children].indexOf(cell);
    if (this.columns[index]?.key === this.type.identifier) this.pencil.remove();
    else cell.append(this.pencil);
  }
}
