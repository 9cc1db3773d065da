import { count, explain, get, listPath } from "./client.js";
import { button, delayed, element } from "./element.js";
import { loadReferencedNames } from "./labels.js";
import { Grid } from "./grid.js";
import { icon } from "./icons.js";
import { indented, parsed } from "./json.js";
import { notify } from "./notice.js";
import { address, go, typeAddress } from "./route.js";
import { swiftSource } from "./swift.js";

/** A query as JSON and as Swift, with the time that it takes. */
export class Bench {
  constructor(type, parameters) {
    this.type = type;
    const pretty = (name) => {
      try {
        return indented(parsed(parameters.get(name)));
      } catch {
        return parameters.get(name) ?? "";
      }
    };
    // A run shows the source and its own message, which must stay.
    const showEdited = delayed(200, () => this.isEdited && this.showSwift());
    const editor = (name, rows, placeholder) =>
      element("textarea", {
        id: `bench-${name}`,
        class: "mono",
        rows,
        spellcheck: "false",
        placeholder,
        value: parameters.has(name) ? pretty(name) : "",
        input: () => {
          this.isEdited = true;
          showEdited();
        },
        keydown: (event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            this.run();
          }
        },
      });
    this.types = element(
      "select",
      { id: "bench-type", change: () => go(address(["query", this.types.value])) },
      type.schema.types.map((each) => element("option", { value: each.name }, each.name.slice(0, 80))),
    );
    this.types.value = type.name;
    this.where = editor("where", 6, `{"field": "${type.label ?? type.identifier}", "is": "hasPrefix", "value": "A"}`);
    this.sort = editor("sort", 2, `[{"field": "${type.label ?? type.identifier}", "descending": true}]`);
    this.limit = element("input", {
      id: "bench-limit",
      type: "number",
      min: 1,
      max: 1000,
      value: "50",
      input: () => this.showSwift(),
    });
    this.swift = element("code", { id: "bench-swift" });
    this.message = element("p", { class: "error-text", role: "alert" });
    this.result = element("div", { class: "bench-result", "aria-live": "polite" });
    const field = (id, title, control) =>
      element("div", { class: "field" }, element("label", { for: id }, title), control);
    this.element = element(
      "section",
      { class: "bench", "aria-label": "Query" },
      element(
        "div",
        { class: "toolbar" },
        element("h1", {}, "Query"),
        element("span", { class: "muted small" }, "Control+Enter runs it"),
      ),
      element(
        "div",
        { class: "bench-parts" },
        element(
          "form",
          {
            class: "bench-form",
            submit: (event) => {
              event.preventDefault();
              this.run();
            },
          },
          field("bench-type", "Type", this.types),
          field("bench-where", "Condition (JSON)", this.where),
          field("bench-sort", "Order (JSON)", this.sort),
          field("bench-limit", "Limit", this.limit),
          this.message,
          element(
            "div",
            { class: "actions" },
            element("button", { class: "primary" }, "Run"),
            button({ click: () => this.showRecords() }, icon("table"), "Show as list"),
          ),
        ),
        element(
          "div",
          { class: "bench-swift" },
          element(
            "div",
            { class: "field-head" },
            element("h2", {}, "Swift"),
            button({ click: () => this.copy() }, icon("copy"), "Copy"),
          ),
          element("pre", { tabindex: "0", role: "region", "aria-label": "Swift source" }, this.swift),
          element(
            "details",
            {},
            element("summary", {}, "Operators of conditions"),
            element(
              "pre",
              { tabindex: "0", role: "region", "aria-label": "Operators" },
              element("code", {}, operatorHelp),
            ),
          ),
        ),
      ),
      this.result,
    );
    this.showSwift();
    if (parameters.has("where") || parameters.has("sort")) this.run();
  }

  /** Reads the editors. Throws an error with the name of the editor whose JSON is malformed. */
  query() {
    const read = (control, name) => {
      control.removeAttribute("aria-invalid");
      if (control.value.trim() === "") return null;
      try {
        return parsed(control.value);
      } catch (error) {
        control.setAttribute("aria-invalid", "true");
        throw new Error(`The ${name} is not JSON: ${error.message}`, { cause: control });
      }
    };
    return {
      where: read(this.where, "condition"),
      sort: read(this.sort, "order"),
      limit: Math.min(1000, Math.max(1, Number(this.limit.value) || 50)),
    };
  }

  showSwift() {
    try {
      this.swift.textContent = swiftSource(this.type, this.query());
      this.message.textContent = "";
    } catch (error) {
      this.swift.textContent = "";
      this.message.textContent = error.message;
    }
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.swift.textContent);
      notify("Copied the Swift source.");
    } catch {
      getSelection().selectAllChildren(this.swift);
      notify("The browser does not allow copying. The source is selected: press Control+C.");
    }
  }

  showRecords() {
    try {
      const { where, sort } = this.query();
      go(typeAddress(this.type.name, { where, sort }));
    } catch (error) {
      this.message.textContent = error.message;
    }
  }

  async run() {
    let query;
    try {
      query = this.query();
    } catch (error) {
      this.message.textContent = error.message;
      error.cause?.focus();
      return;
    }
    this.isEdited = false;
    this.message.textContent = "";
    this.showSwift();
    history.replaceState(null, "", address(["query", this.type.name], { where: query.where, sort: query.sort }));
    this.result.setAttribute("aria-busy", "true");
    try {
      const [page, listTime] = await timed(() => get(listPath(this.type.path, query)));
      const [total, countTime] = await timed(() => count(this.type, query.where));
      // A user who may not read all records gets no plan.
      const plan = await explain(this.type, query).catch(() => null);
      await loadReferencedNames(this.type, page.value).catch(() => {});
      const grid = new Grid(this.type, {
        open: (record) => go(typeAddress(this.type.name, {}, this.type.identifierOf(record))),
        edit() {},
        remove() {},
        sort: (sort) => {
          this.sort.value = JSON.stringify(sort);
          this.run();
        },
      });
      grid.offerEditing = () => {};
      grid.show(page.value, { columns: this.type.columns, sort: query.sort ?? [], total, offset: 0 });
      this.result.replaceChildren(
        element(
          "p",
          { class: "measures" },
          element("strong", {}, `${total.toLocaleString("en")} ${total === 1 ? "match" : "matches"}`),
          `, ${page.value.length} shown`,
          element("span", { class: "muted" }, ` · list ${listTime} ms · count ${countTime} ms, with the network`),
        ),
        plan === null ? "" : element(
          "p",
          { class: "measures", id: "bench-plan" },
          `Plan: ${plan.plan}`,
          element("span", { class: "muted" }, ` · read ${plan.read}, tested ${plan.tested}, found ${plan.found}`),
          plan.statement === null ? "" : element("pre", {}, element("code", {}, plan.statement)),
        ),
        page.value.length > 0 ? grid.element : element(
          "div",
          { class: "empty" },
          element("strong", {}, "No record matches"),
          element("p", {}, "Change the condition, and run it again."),
        ),
      );
    } catch (error) {
      this.result.replaceChildren();
      this.message.textContent = error.message;
    } finally {
      this.result.removeAttribute("aria-busy");
    }
  }
}

async function timed(call) {
  const started = performance.now();
  const value = await call();
  return [value, Math.round(performance.now() - started)];
}

const operatorHelp = `{"field": "price", "is": ">=", "value": 10}      ==  !=  <  <=  >  >=
{"field": "genre", "is": "in", "value": ["A", "B"]}
{"field": "title", "is": "contains", "value": "x"}   hasPrefix  hasSuffix  matches  containsMatch
{"field": "title", "form": "ignoringCase", "is": "==", "value": "x"}
{"field": "books", "form": "count", "is": ">", "value": 3}
{"field": "from", "is": "<", "than": {"field": "until"}}
{"and": [CONDITION, …]}   {"or": [CONDITION, …]}   {"not": CONDITION}
{"any": "books", "where": CONDITION}`;
