import { get, send } from "./client.js";
import { ask } from "./dialog.js";
import { button, element, uniqueID } from "./element.js";
import { failure } from "./health.js";
import { icon } from "./icons.js";
import { notify, report } from "./notice.js";
import { typeAddress } from "./route.js";
import { shownTime, shownValue } from "./values.js";

const kinds = { creation: "created", update: "changed", deletion: "deleted" };

/** The changes that wait for the server of a synchronised store, with what a person can do about them. */
export class Sync {
  constructor(schema) {
    this.schema = schema;
    this.status = element("p", { class: "sync-status", role: "status" });
    this.now = button({ class: "primary", hidden: true, click: () => this.synchronize() }, "Synchronise now");
    this.content = element("div", { class: "state-content" }, element("p", { class: "loading" }, "Loading…"));
    this.element = element(
      "section",
      { class: "state", "aria-label": "Synchronisation" },
      element(
        "div",
        { class: "toolbar" },
        element("h1", {}, "Synchronisation"),
        this.now,
      ),
      this.status,
      this.content,
    );
  }

  shown() {
    this.refresh();
  }

  async refresh() {
    if (this.isBusy) return;
    try {
      this.show((await get("sync")).value);
    } catch (error) {
      if (error.status === 0 || error.status === 401) return;
      this.status.replaceChildren();
      this.shownState = null;
      this.content.replaceChildren(
        failure("The state of the synchronisation can't be shown", error, () => this.refresh()),
      );
    }
  }

  /** Shows a state, unless it is shown already: the focus and the choices of a person stay. */
  show(state) {
    const { status, ...rest } = state;
    const shown = JSON.stringify(status);
    if (shown !== this.shownStatus) {
      this.shownStatus = shown;
      this.status.dataset.state = status.state;
      this.status.textContent = statusText(status, state.entries.length);
    }
    this.now.hidden = !state.mayWrite;
    const key = JSON.stringify(rest);
    if (key === this.shownState) return;
    this.shownState = key;
    // The text has the number of entries.
    this.status.textContent = statusText(status, state.entries.length);
    const focused = this.content.contains(document.activeElement);
    this.content.replaceChildren(
      ...(state.discarded > 0
        ? [element(
          "p",
          { class: "warning" },
          state.discarded === 1
            ? "A local value was replaced by that of the server. The app finds it with discardedValues()."
            : `${state.discarded} local values were replaced by those of the server. The app finds them with discardedValues().`,
        )]
        : []),
      ...(state.entries.length > 0
        ? state.entries.map((entry) => this.entry(entry, state.mayWrite))
        : [element(
          "div",
          { class: "empty" },
          element("strong", {}, "Nothing waits"),
          element("p", {}, "The server has all changes that were made here."),
        )]),
    );
    if (focused) (this.content.querySelector("button, a") ?? this.now).focus();
  }

  // MARK: Entries

  entry(entry, mayWrite) {
    const type = this.schema.type(entry.type);
    const name = `${type?.name ?? entry.type} ${entry.identifier}`;
    const link = (title) =>
      type && entry.kind !== "deletion"
        ? element("a", { href: typeAddress(type.name, {}, entry.identifier), dir: "auto" }, title)
        : element("span", { dir: "auto" }, title);
    const act = (action, title, { style = null, body = {}, done }) =>
      button({
        class: style,
        "aria-label": `${title}: ${name}`,
        click: () => this.act(action, { type: entry.type, identifier: entry.identifier, ...body }, done),
      }, title);
    const state = entry.conflict ? "conflict" : entry.state;
    return element(
      "article",
      { class: "card entry", "data-state": state, "aria-label": name },
      element(
        "header",
        {},
        element("h2", {}, link(name)),
        element("span", { class: "muted" }, kinds[entry.kind] ?? entry.kind),
        element("span", { class: "badge", "data-state": state }, stateText(entry)),
        element("span", { class: "muted small since" }, `since ${shownTime(entry.since)}`),
      ),
      entry.error && !entry.conflict && element("p", { class: "error-text", dir: "auto" }, entry.error),
      Object.entries(entry.fields).length > 0 && element(
        "ul",
        { class: "problems" },
        Object.entries(entry.fields).map(([key, messages]) =>
          element("li", { dir: "auto" }, `${key}: ${messages.join(", ")}`)
        ),
      ),
      entry.conflict ? this.conflict(entry, type, mayWrite, act) : changesTable(entry, type),
      entry.waitsFor.length > 0 && element(
        "p",
        { class: "muted small", dir: "auto" },
        `Waits for ${entry.waitsFor.map((each) => `${each.type} ${each.identifier}`).join(", ")}.`,
      ),
      mayWrite && !entry.conflict && element(
        "div",
        { class: "actions" },
        entry.state === "parked" &&
          act("retry", "Retry", { style: "primary", done: "The change is sent again." }),
        button({ class: "danger", "aria-label": `Discard: ${name}`, click: () => this.discard(entry, name) }, "Discard"),
      ),
    );
  }

  conflict(entry, type, mayWrite, act) {
    const { values, isDeletedHere, isDeletedThere } = entry.conflict;
    if (isDeletedHere || isDeletedThere) {
      return element(
        "div",
        {},
        element(
          "p",
          {},
          isDeletedHere
            ? "The record was deleted here, and changed on the server."
            : "The record was changed here, and deleted on the server.",
        ),
        mayWrite && element(
          "div",
          { class: "actions" },
          act("resolve", isDeletedHere ? "Delete it on the server" : "Create it on the server again", {
            style: "primary",
            body: { local: ["record"] },
            done: "The local version is sent.",
          }),
          act("resolve", isDeletedHere ? "Take the server's record" : "Delete it here", {
            body: { local: [] },
            done: "The server's version is taken.",
          }),
        ),
      );
    }
    const local = new Set(values.map(({ key }) => key));
    const rows = values.map((value) => {
      const name = uniqueID("choice");
      const cell = (shown, isLocal) => {
        const radio = element("input", {
          type: "radio",
          name,
          disabled: !mayWrite,
          "aria-label": `${isLocal ? "Here" : "Server"} for ${value.key}`,
          change: () => (isLocal ? local.add(value.key) : local.delete(value.key)),
        });
        radio.checked = isLocal;
        return element("td", {}, element("label", { class: "check" }, radio, shownOf(value, shown, type)));
      };
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, value.key),
        element("td", { class: "muted" }, shownOf(value, value.base, type)),
        cell(value.local, true),
        cell(value.remote, false),
      );
    });
    return element(
      "div",
      {},
      element("p", {}, "Both sides changed these fields. Choose the value of each; other changes are merged."),
      table(["Field", "Base", "Here", "Server"], rows, "conflict"),
      mayWrite && element(
        "div",
        { class: "actions" },
        button({
          class: "primary",
          click: () =>
            this.act("resolve", { type: entry.type, identifier: entry.identifier, local: [...local] }, "The conflict is resolved."),
        }, "Resolve"),
      ),
    );
  }

  // MARK: Actions

  async synchronize() {
    this.now.disabled = true;
    this.now.textContent = "Synchronising…";
    await this.act("now", {}, null);
    this.now.disabled = false;
    this.now.textContent = "Synchronise now";
    this.now.focus();
  }

  async discard(entry, name) {
    const isCreation = entry.kind === "creation";
    const action = await ask(`Discard the change of ${name}?`, [
      element(
        "p",
        {},
        isCreation
          ? "The server never had this record: it is deleted here."
          : "The record gets the version that the server had last.",
      ),
    ], [
      { name: "cancel", title: "Cancel", isDefault: true },
      { name: "discard", title: "Discard", style: "danger" },
    ]);
    if (action !== "discard") return;
    await this.act("discard", { type: entry.type, identifier: entry.identifier }, "The change is discarded.");
  }

  async act(action, body, done) {
    this.isBusy = true;
    try {
      const { value } = await send("POST", `sync/${action}`, { body });
      this.show(value);
      if (done) notify(done);
    } catch (error) {
      report(error);
    } finally {
      this.isBusy = false;
    }
  }
}

function changesTable(entry, type) {
  if (entry.changes.length === 0) return null;
  const rows = entry.changes.map((change) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, change.key),
      entry.kind !== "creation" && element("td", { class: "muted" }, shownOf(change, change.old, type)),
      element("td", {}, shownOf(change, change.new, type)),
    )
  );
  return table(entry.kind === "creation" ? ["Field", "Value"] : ["Field", "Server", "Here"], rows);
}

function table(titles, rows, kind = "") {
  return element(
    "div",
    { class: `scroller-x ${kind}`, tabindex: "0", role: "region", "aria-label": "Values" },
    element(
      "table",
      { class: "plain" },
      element("thead", {}, element("tr", {}, titles.map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, rows),
    ),
  );
}

function shownOf({ key, isSensitive }, value, type) {
  if (isSensitive) return element("em", { class: "muted" }, "not shown");
  return shownValue(value ?? null, type?.columns.find((column) => column.key === key)?.type ?? "json");
}

function stateText(entry) {
  if (entry.conflict) return "conflict";
  return { queued: "waits", inFlight: "is being sent", parked: "rejected" }[entry.state] ?? entry.state;
}

function statusText(status, count) {
  const waiting = count === 0 ? "" : ` ${count} ${count === 1 ? "record waits" : "records wait"}.`;
  switch (status.state) {
    case "idle":
      return (status.since
        ? `Synchronised ${shownTime(status.since)}.`
        : "Not synchronised since the start.") + waiting;
    case "syncing":
      return `Synchronising: ${status.done} of ${status.total}.`;
    case "offline":
      return `The server can't be reached since ${shownTime(status.since)}.` +
        (status.retryAt ? ` The next attempt is at ${shownTime(status.retryAt)}.` : "") + waiting;
    case "unauthorized":
      return `The server needs other credentials since ${shownTime(status.since)}.${waiting}`;
    case "needsAttention":
      return `${status.count} ${status.count === 1 ? "record needs" : "records need"} a decision.`;
    default:
      return status.state;
  }
}
