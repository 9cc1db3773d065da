import { get, Problem, recordPath } from "./client.js";
import { ask } from "./dialog.js";
import { editor } from "./editors.js";
import { button, element, uniqueID } from "./element.js";
import { icon } from "./icons.js";
import { isEqual, text } from "./json.js";
import { rememberName } from "./labels.js";
import { report } from "./notice.js";
import { RelatedRecords } from "./related.js";
import { confirmRemoval } from "./removal.js";
import { typeAddress } from "./route.js";
import { create, save } from "./saving.js";
import { hasDefault, valueAt } from "./schema.js";
import { InvalidValue, limits } from "./values.js";

/**
 * A record beside the table: its fields as a form, and the records that reference it.
 *
 * `actions` has `close()`, `opened(identifier)` after a creation, and `duplicate(identifier)`.
 */
export class RecordView {
  constructor(type, actions) {
    this.type = type;
    this.actions = actions;
    this.element = element("div", {
      class: "record",
      keydown: (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          this.submit();
        }
        if (event.key === "Escape" && !event.defaultPrevented) {
          event.preventDefault();
          actions.close();
        }
      },
    });
  }

  // MARK: Loading

  /** Loads a record and shows it. */
  async load(identifier) {
    this.identifier = identifier;
    this.isNew = false;
    try {
      const { value, tag } = await get(recordPath(this.type, identifier));
      this.show(value, tag);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const title = error.status === 404 ? `There is no ${this.type.name} ${identifier}` : "The record can't be shown";
      const advice = error.status === 404 ? "It was deleted, or this user may not read it." : error.message;
      this.element.replaceChildren(
        this.header(title, []),
        element(
          "div",
          { class: "empty", role: "alert" },
          element("p", {}, advice),
          element(
            "div",
            { class: "actions" },
            button({ click: () => this.load(identifier) }, icon("refresh"), "Retry"),
            button({ click: () => this.actions.close() }, "Close"),
          ),
        ),
      );
    }
  }

  /** Shows the form of a new record with some values. */
  async prepare(values, from = null) {
    this.isNew = true;
    this.identifier = null;
    const base = new Map();
    for (const column of this.type.columns) {
      if (column.default !== undefined) base.set(column.key, column.default);
    }
    if (from !== null) {
      try {
        const { value } = await get(recordPath(this.type, from));
        for (const column of this.type.columns) {
          if (column.key !== this.type.identifier) base.set(column.key, valueAt(value, column.key));
        }
      } catch (error) {
        report(error);
      }
    }
    for (const [key, value] of Object.entries(values)) base.set(key, value);
    this.base = null;
    this.form((column) => base.get(column.key) ?? null);
    this.fields.find(({ column }) => column.key !== this.type.identifier)?.edited.control.focus();
  }

  /** Reads the record again, unless it has changes that were not saved. */
  async refresh() {
    if (this.isNew || !this.base) return;
    try {
      const { status, value, tag } = await get(recordPath(this.type, this.identifier), { known: this.tag });
      if (status !== 304 && tag !== this.tag) {
        if (this.changes().size > 0) {
          this.warn("Another writer changed this record. When you save, you see both versions.");
        } else this.show(value, tag, { keepsFocus: true });
      }
      await this.related?.load();
    } catch (error) {
      if (error.status === 404) {
        this.warn("Another writer deleted this record. To keep it, copy its values to a new record.");
      }
    }
  }

  show(record, tag, { keepsFocus = false } = {}) {
    const focused = keepsFocus && this.element.contains(document.activeElement)
      ? document.activeElement.dataset.key ?? ""
      : null;
    this.base = record;
    this.tag = tag;
    rememberName(this.type, record);
    this.form((column) => valueAt(record, column.key));
    if (focused) this.fields.find(({ column }) => column.key === focused)?.edited.control.focus();
    else if (focused === "") this.title.focus();
  }

  // MARK: The form

  header(name, actions) {
    this.title = element("h2", { tabindex: "-1", dir: "auto" }, name);
    return element(
      "header",
      { class: "record-head" },
      element(
        "div",
        { class: "titles" },
        element("p", { class: "muted small" }, this.type.name, this.identifier !== null && ` ${this.identifier}`),
        this.title,
      ),
      actions,
      button({
        class: "quiet icon-only",
        "aria-label": "Close the record",
        title: "Close (Esc)",
        click: () => this.actions.close(),
      }, icon("close")),
    );
  }

  form(valueOf) {
    const isReadOnly = this.isNew ? false : !this.type.allows.update;
    this.fields = this.type.columns.map((column) => this.field(column, valueOf(column), isReadOnly));
    this.warning = element("p", { class: "warning", role: "status", hidden: true });
    this.problem = element("p", { class: "error-text", role: "alert", hidden: true });
    this.state = element("span", { class: "muted small" });
    this.saveButton = button(
      { class: "primary", title: "Control+Enter", click: () => this.submit() },
      this.isNew ? "Create" : "Save",
    );
    this.revertButton = button({ click: () => this.revert() }, "Revert");
    this.related = this.isNew ? null : new RelatedRecords(this.type, this.base);
    const name = this.isNew ? `New ${this.type.name}` : this.type.nameOf(this.base);
    this.element.replaceChildren(...[
      this.header(
        name,
        this.isNew ? [] : [
          this.type.allows.create &&
          button({
            class: "quiet icon-only",
            "aria-label": "Duplicate",
            title: "Duplicate",
            click: () => this.actions.duplicate(this.identifier),
          }, icon("copy")),
          this.type.allows.delete &&
          button({
            class: "quiet icon-only",
            "aria-label": "Delete",
            title: "Delete",
            click: () => this.remove(),
          }, icon("trash")),
        ].filter(Boolean),
      ),
      element(
        "form",
        {
          class: "fields",
          novalidate: true,
          "aria-label": name,
          submit: (event) => {
            event.preventDefault();
            this.submit();
          },
          input: () => this.showState(),
          change: () => this.showState(),
        },
        this.warning,
        this.problem,
        this.fields.map(({ row }) => row),
        this.related?.element,
      ),
      isReadOnly
        ? element("footer", { class: "record-foot muted small" }, "The server allows only reading.")
        : element("footer", { class: "record-foot" }, this.state, this.revertButton, this.saveButton),
    ].filter(Boolean));
    this.related?.load();
    this.showState();
  }

  field(column, value, isReadOnly) {
    const id = uniqueID("field");
    const edited = editor(column, value, { id, schema: this.type.schema });
    const isIdentifier = column.key === this.type.identifier;
    const note = column.kind === "relation" ? column.to : column.type === "date" ? "date, UTC" : column.type;
    const rule = [isIdentifier ? "identifier" : null, column.isRequired ? "required" : null, limits(column)].filter(
      Boolean,
    ).join(", ");
    const message = element("p", { class: "error-text small", id: `${id}-error`, hidden: true });
    const hint = element(
      "p",
      { class: "muted small", id: `${id}-hint`, hidden: rule === "" && !edited.hint },
      [rule, edited.hint].filter(Boolean).join(", "),
    );
    edited.control.setAttribute("aria-describedby", `${message.id} ${hint.id}`);
    edited.control.dataset.key = column.key;
    if (isReadOnly || (isIdentifier && !this.isNew)) {
      for (const control of [edited.control, ...edited.element.querySelectorAll("input, textarea, select, button")]) {
        control.disabled = true;
      }
    }
    if (isIdentifier && this.isNew) edited.control.placeholder = "assigned by the server";
    const follow = column.type === "reference" && !column.isToMany && value !== null &&
      this.type.schema.type(column.to) &&
      element(
        "a",
        { class: "small", href: typeAddress(column.to, {}, text(value)) },
        "Open",
      );
    const row = element(
      "div",
      { class: "field" },
      element(
        "div",
        { class: "field-head" },
        element("label", { for: id }, column.key),
        element("span", { class: "type" }, note),
        follow,
      ),
      edited.element,
      message,
      hint,
    );
    return { column, edited, row, message, value };
  }

  /** Returns the values that differ from those that were loaded. Values that can't be read get a message. */
  changes({ throws = false } = {}) {
    const changes = new Map();
    let invalid = null;
    for (const field of this.fields ?? []) {
      try {
        const entered = field.edited.read();
        if (!isEqual(entered, field.value)) changes.set(field.column.key, entered);
        if (throws) this.mark(field, "");
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error;
        changes.set(field.column.key, undefined);
        if (throws) this.mark(field, error.message);
        invalid ??= field;
      }
    }
    if (throws && invalid) {
      invalid.edited.control.focus();
      throw new InvalidValue("Some fields can't be read.");
    }
    return changes;
  }

  mark({ edited, message, row }, text) {
    message.textContent = text;
    message.hidden = text === "";
    row.classList.toggle("invalid", text !== "");
    if (text === "") edited.control.removeAttribute("aria-invalid");
    else edited.control.setAttribute("aria-invalid", "true");
  }

  showState() {
    const changes = this.changes();
    for (const { column, row } of this.fields) row.classList.toggle("edited", changes.has(column.key));
    this.state.textContent = this.isNew
      ? ""
      : changes.size === 0
      ? "No changes"
      : changes.size === 1
      ? "1 change"
      : `${changes.size} changes`;
    this.saveButton.disabled = !this.isNew && changes.size === 0;
    this.revertButton.hidden = this.isNew || changes.size === 0;
  }

  warn(text) {
    this.warning.textContent = text;
    this.warning.hidden = false;
  }

  revert() {
    this.show(this.base, this.tag);
    this.title.focus();
  }

  // MARK: Writing

  async submit() {
    if (this.isSaving) return;
    this.isSaving = true;
    this.problem.hidden = true;
    try {
      const changes = this.changes({ throws: true });
      if (this.isNew) {
        const values = new Map(
          this.fields.map(({ column, edited }) => [column, edited.read()])
            .filter(([column, value]) => value !== null || hasDefault(this.type, column))
            .map(([column, value]) => [column.key, value]),
        );
        const { record, tag } = await create(this.type, values);
        this.isNew = false;
        this.identifier = this.type.identifierOf(record);
        this.show(record, tag);
        this.title.focus();
        this.actions.opened(this.identifier);
      } else if (changes.size > 0) {
        const saved = await save(this.type, this.base, this.tag, changes);
        if (saved) this.show(saved.record, saved.tag, { keepsFocus: true });
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.isSaving = false;
    }
  }

  fail(error) {
    if (error instanceof InvalidValue) return;
    if (!(error instanceof Problem)) throw error;
    const others = [];
    let first = null;
    for (const [key, messages] of Object.entries(error.errors)) {
      const field = this.fields.find(({ column }) => column.key === key || column.key.split(".")[0] === key);
      if (field) this.mark(field, messages.join(", "));
      else others.push(`${key} ${messages.join(", ")}`);
      first ??= field ?? null;
    }
    const isAtFields = first !== null && others.length === 0;
    const text = error.status === 404
      ? "Another writer deleted this record. To keep it, copy its values to a new record."
      : [isAtFields ? null : error.message, ...others].filter(Boolean).join(" ");
    this.problem.textContent = isAtFields ? "Nothing was written. Correct the marked fields, and save again." : text;
    this.problem.hidden = false;
    (first?.edited.control ?? this.saveButton).focus();
    this.problem.scrollIntoView({ block: "nearest" });
  }

  async remove() {
    if (await confirmRemoval(this.type, this.identifier)) {
      this.fields = [];
      this.actions.close();
    }
  }

  /** Requires a confirmation before changes are lost. Returns whether the record may be closed. */
  async mayClose() {
    const isChanged = this.isNew ? this.changes().size > 0 : this.base && this.changes().size > 0;
    if (!isChanged) return true;
    return await ask(
      "Discard the changes?",
      element(
        "p",
        {},
        this.isNew ? "The new record was not created yet." : "The changes of this record were not saved yet.",
      ),
      [
        { name: "stay", title: "Continue editing", isDefault: true },
        { name: "discard", title: "Discard", style: "danger" },
      ],
    ) === "discard";
  }
}
