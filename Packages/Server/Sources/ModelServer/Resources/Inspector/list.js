import { count, get, listPath, Problem } from "./client.js";
import { editCell } from "./cell-editor.js";
import { chooseColumns, visibleColumns } from "./columns.js";
import { button, delayed, element } from "./element.js";
import { FilterBar } from "./filters.js";
import { Grid } from "./grid.js";
import { icon } from "./icons.js";
import { parsed } from "./json.js";
import { loadReferencedNames } from "./labels.js";
import { notify } from "./notice.js";
import { Pager, pageSizes } from "./pager.js";
import { both, searchJSON } from "./query.js";
import { confirmRemoval } from "./removal.js";
import { address, go, typeAddress } from "./route.js";

const sizeSetting = "inspector.pageSize";

/** The list of the records of a type. The address has its filter, search, order and offset. */
export class ListView {
  constructor(type) {
    this.type = type;
    this.nextPaths = new Map();
    this.shownKey = null;
    this.tag = null;
    this.total = null;
    this.grid = new Grid(type, {
      open: (record) => this.open(record),
      edit: (record, column, cell) => this.edit(record, column, cell),
      remove: async (record) => {
        if (await confirmRemoval(type, type.identifierOf(record))) this.grid.focus();
      },
      sort: (sort) => this.change({ sort }),
    });
    this.pager = new Pager({
      go: (offset) => this.change({ offset }),
      resize: (size) => {
        localStorage.setItem(sizeSetting, size);
        this.shownKey = null;
        this.change({ offset: 0 });
        this.load();
      },
    });
    this.filters = new FilterBar(type, null, (where) => this.change({ where }, { replaces: true }));
    this.message = element("div", { class: "message" });
    this.element = element(
      "section",
      { class: "list", "aria-label": type.name },
      this.toolbar(),
      this.filters.element,
      this.grid.element,
      this.message,
      this.pager.element,
    );
  }

  toolbar() {
    this.searchField = element("input", {
      type: "search",
      placeholder: "Search text fields",
      "aria-label": `Search ${this.type.name}`,
      dir: "auto",
      input: delayed(250, () => this.change({ search: this.searchField.value }, { replaces: true })),
      keydown: (event) => {
        if (event.key === "ArrowDown") {
          event.preventDefault();
          this.grid.focus();
        }
      },
    });
    this.columnsButton = button(
      {
        "aria-haspopup": "dialog",
        "aria-expanded": false,
        click: () => chooseColumns(this.type, this.columnsButton, () => this.render()),
      },
      icon("columns"),
      element("span", { class: "word" }, "Columns"),
    );
    this.columnsButton.setAttribute("aria-label", "Columns");
    return element(
      "div",
      { class: "toolbar" },
      element("h1", { dir: "auto", title: this.type.name }, this.type.name),
      element("div", { class: "search" }, icon("search"), this.searchField),
      button(
        { click: () => this.filters.add(), "aria-label": "Filter" },
        icon("filter"),
        element("span", { class: "word" }, "Filter"),
      ),
      this.columnsButton,
      button(
        {
          click: () =>
            go(
              address(["query", this.type.name], {
                where: this.filter || null,
                sort: this.sort.length ? this.sort : null,
              }),
            ),
          "aria-label": "Open as query",
        },
        icon("query"),
        element("span", { class: "word" }, "Query"),
      ),
      this.type.allows.create &&
        button(
          { class: "primary", click: () => this.create(), "aria-label": "New record" },
          icon("plus"),
          element("span", { class: "word" }, "New"),
        ),
    );
  }

  // MARK: Address

  get size() {
    const size = Number(localStorage.getItem(sizeSetting));
    return pageSizes.includes(size) ? size : 50;
  }

  /** The condition of the filter and the search; false if nothing can match. */
  get filter() {
    const searched = searchJSON(this.search, this.type);
    return searched === false ? false : both(this.where, searched);
  }

  parameters() {
    return {
      where: this.where,
      search: this.search,
      sort: this.sort.length ? this.sort : null,
      offset: this.offset || null,
    };
  }

  /** Changes the address. Another filter or order begins with the first page. */
  change(changes, options) {
    const parameters = { ...this.parameters(), offset: null, ...changes };
    if (parameters.sort?.length === 0) parameters.sort = null;
    go(typeAddress(this.type.name, { ...parameters, offset: parameters.offset || null }, this.opened), options);
  }

  /** Shows the list that the address describes. */
  update(parameters, opened) {
    const json = (name) => {
      try {
        return parsed(parameters.get(name) ?? "null");
      } catch {
        notify(`The ${name} in the address is not JSON, and was ignored.`, { isError: true });
        return null;
      }
    };
    this.where = json("where");
    this.sort = json("sort") ?? [];
    this.search = parameters.get("search") ?? "";
    this.offset = Math.max(0, Number(parameters.get("offset")) || 0);
    this.opened = opened;
    if (document.activeElement !== this.searchField) this.searchField.value = this.search;
    this.filters.show(this.where);
    this.grid.select(opened);
    const key = JSON.stringify([this.filter, this.sort, this.size]);
    if (key !== this.queryKey) this.nextPaths.clear();
    this.queryKey = key;
    if (JSON.stringify([key, this.offset]) !== this.shownKey) this.load();
  }

  open(record) {
    go(typeAddress(this.type.name, this.parameters(), this.type.identifierOf(record)));
  }

  create() {
    if (this.type.allows.create) go(typeAddress(this.type.name, { ...this.parameters(), new: 1 }));
  }

  edit(record, column, cell) {
    if (!this.type.allows.update) return notify("The server allows only reading.", { isError: true });
    if (column.key === this.type.identifier) {
      return notify("An identifier can't change. Duplicate the record to give it another one.");
    }
    editCell(this.type, record, column, cell, (saved) => {
      // A refresh leaves the table alone as long as a cell is edited.
      this.render();
      if (saved) this.grid.replace(saved);
      this.grid.focus();
      if (saved) this.reload();
    });
  }

  turn(direction) {
    const control = direction > 0 ? this.pager.forward : this.pager.back;
    if (!control.disabled) control.click();
  }

  // MARK: Loading

  path() {
    const { filter: where, sort, size: limit, offset } = this;
    return this.nextPaths.get(offset) ??
      listPath(this.type.path, { limit, where, sort: sort.length ? sort : null, offset: offset || null });
  }

  /** The path of the events about the list; null for a list that is always empty. */
  get eventsPath() {
    return this.filter === false ? null : listPath(this.type.path, { where: this.filter });
  }

  /** Reads the page and shows it. `isQuiet` keeps the shown page meanwhile, and marks changes. */
  async load({ isQuiet = false, again = false } = {}) {
    // A poll must not replace the request of a new filter.
    if (isQuiet && !again && this.isLoading) {
      this.isOutdated = true;
      return;
    }
    this.isOutdated = false;
    this.aborter?.abort();
    const aborter = (this.aborter = new AbortController());
    const { signal } = aborter;
    const key = JSON.stringify([this.queryKey, this.offset]);
    const isSame = key === this.renderedKey;
    this.shownKey = key;
    this.isLoading = true;
    if (!isQuiet) this.element.setAttribute("aria-busy", "true");
    try {
      if (this.filter === false) return this.showPage({ value: [], next: null, tag: null }, 0);
      const started = performance.now();
      const page = await get(this.path(), { signal, known: isQuiet && isSame && !again ? this.tag : null });
      const milliseconds = Math.round(performance.now() - started);
      if (isQuiet && isSame && !again && (page.status === 304 || page.tag === this.tag)) return;
      await loadReferencedNames(this.type, page.value, { signal, again: isQuiet }).catch((error) => {
        if (error.name === "AbortError") throw error;
      });
      if (!isSame) this.total = null;
      this.renderedKey = key;
      this.showPage(page, milliseconds, isQuiet && isSame);
      this.total = await count(this.type, this.filter, signal);
      this.showPager();
      this.grid.table.setAttribute("aria-rowcount", this.total + 1);
    } catch (error) {
      if (error.status === 400 && this.nextPaths.has(this.offset)) return this.restart();
      if (error.name !== "AbortError") this.fail(error, isQuiet);
    } finally {
      if (this.aborter === aborter) {
        this.isLoading = false;
        this.element.removeAttribute("aria-busy");
        // The records may have changed after they were read.
        if (this.isOutdated) this.load({ isQuiet: true });
      }
    }
  }

  /** Reads the page by its offset: a server that was started again may not know the links of its pages. */
  restart() {
    this.nextPaths.clear();
    return this.reload();
  }

  reload() {
    return this.load({ isQuiet: true, again: true });
  }

  showPage(page, milliseconds, marksChanges = false) {
    this.page = page;
    this.tag = page.tag;
    this.milliseconds = milliseconds;
    if (page.next) {
      const next = new URL(page.next, new URL(this.type.path, location));
      this.nextPaths.set(this.offset + this.size, next.pathname + next.search);
    }
    if (this.filter === false) this.total = 0;
    // A page behind the end appears if records were deleted meanwhile.
    if (page.value.length === 0 && this.offset > 0) {
      return this.change({ offset: Math.max(0, this.offset - this.size) }, { replaces: true });
    }
    this.render(marksChanges);
  }

  render(marksChanges = false) {
    if (!this.page) return;
    const { value } = this.page;
    this.grid.show(value, {
      columns: visibleColumns(this.type),
      sort: this.sort,
      total: this.total,
      offset: this.offset,
      marksChanges,
    });
    this.grid.select(this.opened);
    this.grid.element.hidden = value.length === 0;
    this.message.replaceChildren(...(value.length === 0 ? [this.emptyState()] : []));
    this.showPager();
  }

  showPager() {
    this.pager.show({
      offset: this.offset,
      size: this.size,
      shown: this.page.value.length,
      total: this.total,
      hasNext: this.page.next !== null,
      milliseconds: this.milliseconds,
    });
    this.pager.element.hidden = false;
  }

  emptyState() {
    const isFiltered = this.where !== null || this.search !== "";
    if (isFiltered) {
      return element(
        "div",
        { class: "empty" },
        element("strong", {}, `No ${this.type.name} matches`),
        element("p", {}, "Change the search or the filter, or remove both."),
        element(
          "div",
          { class: "actions" },
          button({
            click: () => {
              this.searchField.value = "";
              this.change({ where: null, search: "" });
            },
          }, "Remove search and filter"),
        ),
      );
    }
    return element(
      "div",
      { class: "empty" },
      element("strong", {}, `There is no ${this.type.name} yet`),
      element(
        "p",
        {},
        this.type.allows.create
          ? "Create the first one here, or with a program that uses this server."
          : "This server allows only reading.",
      ),
      this.type.allows.create && element(
        "div",
        { class: "actions" },
        button({ class: "primary", click: () => this.create() }, icon("plus"), `New ${this.type.name}`),
      ),
    );
  }

  fail(error, isQuiet) {
    if (!(error instanceof Problem)) throw error;
    this.shownKey = this.renderedKey = null;
    // The banner reports a lost connection; the last page stays.
    if (error.status === 0 || error.status === 401 || isQuiet) return;
    this.grid.element.hidden = true;
    this.pager.element.hidden = true;
    this.message.replaceChildren(
      element(
        "div",
        { class: "empty", role: "alert" },
        element("strong", {}, "The list can't be shown"),
        element("p", { dir: "auto" }, error.message),
        element(
          "div",
          { class: "actions" },
          button({ click: () => this.load() }, icon("refresh"), "Retry"),
          (this.where !== null || this.sort.length > 0) &&
            button({ click: () => go(typeAddress(this.type.name)) }, "Remove filter and order"),
        ),
      ),
    );
  }
}
