import { button, delayed, element } from "./element.js";
import { icon } from "./icons.js";
import { RecordPicker } from "./picker.js";
import { canIgnoreCase, filterConditions, filterJSON, needsOperand, operatorName, operators, terms } from "./query.js";
import { InvalidValue, isNumeric, localDate, valueOf } from "./values.js";
import { text } from "./json.js";

/** The bar with the conditions of a list. It calls `changed` with the JSON of the filter, or null. */
export class FilterBar {
  constructor(type, filter, changed) {
    this.type = type;
    this.terms = terms(type);
    this.changed = changed;
    this.element = element("div", { class: "filters", role: "group", "aria-label": "Filter" });
    this.show(filter);
  }

  /** Shows a filter, unless it is the one that the bar has. */
  show(filter) {
    if (this.filter !== undefined && JSON.stringify(this.filter) === JSON.stringify(filter)) return;
    this.filter = filter;
    const known = filterConditions(filter, this.type);
    this.raw = known === null ? filter : null;
    this.conditions = known?.conditions ?? [];
    this.matchesAny = known?.matchesAny ?? false;
    this.render();
  }

  add() {
    if (this.raw !== null) return;
    const term = this.terms.find((each) => each.type === "string") ?? this.terms[0];
    if (!term) return;
    this.conditions.push({ term, operator: operators(term.type)[0], operand: null, ignoresCase: true });
    this.render();
    this.element.querySelector(".condition:last-of-type select")?.focus();
  }

  clear() {
    this.conditions = [];
    this.raw = null;
    this.render();
    this.apply();
  }

  apply() {
    this.filter = filterJSON(this.conditions, this.matchesAny);
    this.changed(this.filter);
  }

  render() {
    const isEmpty = this.conditions.length === 0 && this.raw === null;
    this.element.hidden = isEmpty;
    if (isEmpty) return this.element.replaceChildren();
    if (this.raw !== null) {
      this.element.replaceChildren(
        element("span", { class: "muted" }, "Filter from the query bench:"),
        element("code", { class: "raw" }, JSON.stringify(this.raw)),
        button({ class: "quiet", click: () => this.clear() }, "Remove the filter"),
      );
      return;
    }
    const matching = this.conditions.length > 1 &&
      element(
        "select",
        {
          "aria-label": "Combination of the conditions",
          change: (event) => {
            this.matchesAny = event.target.value === "or";
            this.apply();
          },
        },
        element("option", { value: "and" }, "All hold"),
        element("option", { value: "or" }, "Any holds"),
      );
    if (matching) matching.value = this.matchesAny ? "or" : "and";
    this.element.replaceChildren(
      ...[
        matching,
        ...this.conditions.map((condition, index) => this.row(condition, index)),
        button(
          {
            class: "quiet",
            click: () => this.add(),
          },
          icon("plus"),
          "Condition",
        ),
        button({ class: "quiet", click: () => this.clear() }, "Remove all"),
      ].filter(Boolean),
    );
  }

  row(condition, index) {
    const controls = element("div", { class: "condition-controls" });
    const message = element("p", { class: "error-text small", role: "alert" });
    const row = element(
      "div",
      { class: "condition", role: "group", "aria-label": `Condition ${index + 1}` },
      controls,
      message,
    );
    const change = () => {
      condition.invalid = false;
      this.apply();
    };
    const field = element("select", {
      "aria-label": "Field",
      change: () => {
        condition.term = this.terms.find((term) => term.id === field.value);
        condition.operator = operators(condition.term.type)[0];
        condition.operand = null;
        row.replaceWith(this.row(condition, index));
        this.element.querySelectorAll(".condition")[index]?.querySelector("select")?.focus();
        change();
      },
    }, this.terms.map((term) => element("option", { value: term.id }, term.name)));
    field.value = condition.term.id;
    const operator = element(
      "select",
      {
        "aria-label": "Operator",
        change: () => {
          condition.operator = operator.value;
          if (condition.operator === "in" && !Array.isArray(condition.operand)) {
            condition.operand = condition.operand === null ? null : [condition.operand];
          }
          if (condition.operator !== "in" && Array.isArray(condition.operand)) {
            condition.operand = condition.operand[0] ?? null;
          }
          row.replaceWith(this.row(condition, index));
          this.element.querySelectorAll(".condition")[index]?.querySelectorAll("select")[1]?.focus();
          change();
        },
      },
      operators(condition.term.type).map((each) =>
        element("option", { value: each }, operatorName(each, condition.term.type))
      ),
    );
    operator.value = condition.operator;
    controls.append(field, operator);
    if (needsOperand(condition.operator)) controls.append(this.operand(condition, change, message));
    if (canIgnoreCase(condition.term, condition.operator)) {
      const cased = button({
        class: "icon-only case",
        "aria-pressed": !condition.ignoresCase,
        "aria-label": "Match case",
        title: "Match case",
        click: () => {
          condition.ignoresCase = !condition.ignoresCase;
          cased.setAttribute("aria-pressed", String(!condition.ignoresCase));
          change();
        },
      }, "Aa");
      controls.append(cased);
    }
    controls.append(button({
      class: "quiet icon-only",
      "aria-label": "Remove the condition",
      click: () => {
        this.conditions.splice(index, 1);
        this.render();
        this.apply();
      },
    }, icon("close")));
    return row;
  }

  operand(condition, change, message) {
    const { term, operator } = condition;
    if (term.type === "reference") {
      const picker = new RecordPicker(term.related, condition.operand, { label: "Value", canClear: false });
      picker.element.addEventListener("change", () => {
        condition.operand = picker.identifier;
        change();
      });
      return picker.element;
    }
    const type = term.type === "many" ? "integer" : term.type;
    const isList = operator === "in";
    const isDate = type === "date" && !isList;
    const control = element("input", {
      "aria-label": "Value",
      type: isDate ? "datetime-local" : "text",
      dir: "auto",
      autocomplete: "off",
      step: isDate ? "1" : null,
      placeholder: isList ? "Values, separated by commas" : isNumeric(type) ? "Number" : "Value",
      inputmode: isNumeric(type) ? "decimal" : null,
      input: delayed(250, () => {
        try {
          condition.operand = read();
          message.textContent = "";
          control.removeAttribute("aria-invalid");
          change();
        } catch (error) {
          if (!(error instanceof InvalidValue)) throw error;
          message.textContent = error.message;
          control.setAttribute("aria-invalid", "true");
        }
      }),
    });
    const read = () => {
      if (control.value === "") return null;
      if (!isList) return valueOf(control.value, type);
      return control.value.split(",").map((part) => part.trim()).filter((part) => part !== "").map((part) =>
        valueOf(part, type)
      );
    };
    const { operand } = condition;
    if (operand !== null && operand !== undefined) {
      control.value = isList ? operand.map(text).join(", ") : isDate ? localDate(operand) ?? "" : text(operand);
    }
    return control;
  }
}
