import { connection, setToken } from "./client.js";
import { Bench } from "./bench.js";
import { showConnection } from "./connection.js";
import { Diagram } from "./diagram.js";
import { button, element } from "./element.js";
import { Health } from "./health.js";
import { icon } from "./icons.js";
import { parsed } from "./json.js";
import { onKey, showHelp } from "./keyboard.js";
import { ListView } from "./list.js";
import { LiveRefresh } from "./live.js";
import { report } from "./notice.js";
import { RecordView } from "./record.js";
import { address, currentRoute, go, typeAddress } from "./route.js";
import { written } from "./saving.js";
import { Schema } from "./schema.js";
import { Sidebar } from "./sidebar.js";
import { Sync } from "./sync.js";

const main = document.getElementById("main");
const drawer = document.getElementById("drawer");
let schema, sidebar, live;
let list = null, record = null, view = null;
let shownAddress = location.hash;

// MARK: Start

/** Moves the token from the address to the storage of this tab, so that it is in no bookmark. */
function takeToken() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (!fragment.has("token")) return;
  setToken(fragment.get("token"));
  history.replaceState(null, "", `${location.pathname}#/`);
}

function askForToken() {
  if (document.getElementById("token")) return;
  const field = element("input", { id: "token", type: "password", autocomplete: "off", required: true });
  main.replaceChildren(element(
    "form",
    {
      class: "empty",
      submit: (event) => {
        event.preventDefault();
        setToken(field.value.trim());
        location.reload();
      },
    },
    element("strong", {}, "The server needs a token"),
    element("p", {}, "Open the address that the server printed when it started, or enter its token."),
    element("label", { for: "token" }, "Token"),
    element("div", { class: "actions" }, field, element("button", { class: "primary" }, "Continue")),
  ));
  field.focus();
}

async function start() {
  takeToken();
  connection.addEventListener("token", askForToken);
  showConnection(() => (schema ? Promise.all([list?.restart(), refresh()]) : load()));
  await load();
}

async function load() {
  try {
    schema = await Schema.load();
  } catch (error) {
    if (error.status === 401 || error.status === 0) return;
    main.replaceChildren(
      element(
        "div",
        { class: "empty", role: "alert" },
        element("strong", {}, "The schema can't be read"),
        element("p", {}, error.message),
      ),
    );
    return;
  }
  sidebar = new Sidebar(schema);
  live = new LiveRefresh(refresh);
  showTools();
  addShortcuts();
  addEventListener("routechange", show);
  addEventListener("popstate", show);
  await show();
}

// MARK: Views

async function show() {
  const route = currentRoute();
  if (!(await mayLeave(route))) return void history.replaceState(null, "", shownAddress || "#/");
  shownAddress = location.hash;
  if (route.section === "schema") present(new Diagram(schema, () => sidebar.counts), "schema");
  else if (route.section === "query") showBench(route);
  else if (schema.sections.includes(route.section)) showState(route.section);
  else showType(route);
  live.follow(view === list ? list?.eventsPath ?? null : null);
  sidebar.mark(["types", "query"].includes(route.section) ? route.name : view === list ? list?.type.name : null);
  document.title = `${
    [route.record, list?.type.name ?? (route.section || null)].filter(Boolean).join(" – ").slice(0, 80)
  } – ModelKit`.replace(/^ – /, "");
}

async function mayLeave(route) {
  if (!record) return true;
  const isSame = route.section === "types" && route.name === record.type.name &&
    (record.isNew ? route.parameters.has("new") && !record.isLeaving : route.record === record.identifier);
  return isSame || await record.mayClose();
}

function present(shown, section) {
  if (section !== "types") {
    list = null;
    closeDrawer();
  }
  view = shown;
  main.replaceChildren(shown.element);
  for (const link of document.querySelectorAll("#sections a")) {
    if (link.dataset.section === section) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else link.removeAttribute("aria-current");
  }
  shown.shown?.();
}

function showBench({ name, parameters }) {
  const type = schema.type(name) ?? schema.types[0];
  if (!type) return showNoTypes();
  if (view instanceof Bench && view.type === type) return;
  present(new Bench(type, parameters), "query");
}

/** Shows the health or the synchronisation of the store. */
function showState(section) {
  const shown = section === "health" ? Health : Sync;
  if (!(view instanceof shown)) present(new shown(schema), section);
}

function showNoTypes() {
  main.replaceChildren(
    element(
      "div",
      { class: "empty" },
      element("strong", {}, "The server has no types"),
      element("p", {}, "Start it with a model file that has entities."),
    ),
  );
}

function showType(route) {
  const type = route.section === "types" ? schema.type(route.name) : schema.types[0];
  if (!type && schema.types.length === 0) return showNoTypes();
  if (!type) {
    list = null;
    closeDrawer();
    main.replaceChildren(
      element(
        "div",
        { class: "empty", role: "alert" },
        element("strong", {}, "There is no such type"),
        element("p", { dir: "auto" }, route.name),
        element("a", { href: "#/" }, "Show the first type"),
      ),
    );
    return;
  }
  if (list?.type !== type || view !== list) {
    list = new ListView(type);
    present(list, "types");
  }
  const { parameters } = route;
  if (parameters.has("new")) showNew(type, parameters);
  else if (route.record === null) closeDrawer();
  else if (!record || record.isNew || record.type !== type || record.identifier !== route.record) {
    showRecord(type, route.record);
  }
  list.update(parameters, route.record);
}

// MARK: The record beside the list

function openDrawer(type) {
  record = new RecordView(type, {
    close: () => go(typeAddress(type.name, list?.parameters() ?? {})),
    opened: (identifier) => go(typeAddress(type.name, list?.parameters() ?? {}, identifier), { replaces: true }),
    duplicate: (identifier) => go(typeAddress(type.name, { ...list?.parameters(), new: 1, from: identifier })),
  });
  drawer.hidden = false;
  inertBehindRecord();
  drawer.replaceChildren(record.element);
  return record;
}

async function showRecord(type, identifier) {
  const opened = openDrawer(type);
  await opened.load(identifier);
  if (record === opened) opened.title.focus();
}

function showNew(type, parameters) {
  let set = {};
  try {
    set = parsed(parameters.get("set") ?? "{}") ?? {};
  } catch {
    // An address that was typed wrong begins with an empty record.
  }
  openDrawer(type).prepare(set, parameters.get("from")).catch(report);
}

function closeDrawer() {
  if (!record) return;
  record = null;
  drawer.hidden = true;
  drawer.replaceChildren();
  inertBehindRecord();
  list?.grid.focus();
}

const coversPage = matchMedia("(max-width: 520px)");

/** Keeps the focus out of the page as long as the record covers it. */
function inertBehindRecord() {
  for (const part of document.querySelectorAll(".top, #side, #main")) part.inert = !drawer.hidden && coversPage.matches;
}
coversPage.addEventListener("change", inertBehindRecord);

addEventListener("beforeunload", (event) => {
  if (record?.fields && record.changes().size > 0) event.preventDefault();
});

// MARK: Refresh

/** Reads the visible data again. A fresh query, so that the page has no gap after a lost connection. */
async function refresh({ isPoll = false } = {}) {
  if (schema === undefined) return;
  await Promise.all([list?.load({ isQuiet: true, again: !isPoll }), record?.refresh(), view?.refresh?.(), sidebar.load()]);
}

written.addEventListener("written", () => {
  list?.reload();
  sidebar.load();
});

// MARK: Tools

function showTools() {
  const sections = [["types", "#/", "table", "Records"], ["schema", "#/schema", "schema", "Schema"], [
    "query",
    "#/query",
    "query",
    "Query",
  ]];
  if (schema.sections.includes("health")) sections.push(["health", "#/health", "health", "Health"]);
  if (schema.sections.includes("sync")) sections.push(["sync", "#/sync", "sync", "Sync"]);
  document.getElementById("sections").replaceChildren(
    ...sections.map(([section, href, symbol, title]) =>
      element("a", { href, "data-section": section }, icon(symbol), element("span", {}, title))
    ),
  );
  document.getElementById("tools").replaceChildren(
    live.button,
    button(
      { class: "quiet icon-only", "aria-label": "Refresh", title: "Refresh (r)", click: () => refresh() },
      icon("refresh"),
    ),
    button(
      { class: "quiet icon-only", "aria-label": "Keyboard help", title: "Keyboard (?)", click: showHelp },
      icon("help"),
    ),
  );
}

function addShortcuts() {
  onKey("/", "Search", () => list?.searchField.focus());
  onKey("f", "Add a condition to the filter", () => list?.filters.add());
  onKey("n", "New record", () => list?.create());
  onKey("c", "Choose columns", () => list?.columnsButton.click());
  onKey("j", "Go to the table", () => list?.grid.focus());
  onKey("]", "Next page", () => list?.turn(1));
  onKey("[", "Previous page", () => list?.turn(-1));
  onKey("t", "Go to the types", () => sidebar.focus());
  onKey("s", "Show the schema", () => go("#/schema"));
  onKey(
    "q",
    "Show the query bench",
    () =>
      go(
        list
          ? address(["query", list.type.name], {
            where: list.filter || null,
            sort: list.sort.length ? list.sort : null,
          })
          : "#/query",
      ),
  );
  if (schema.sections.includes("health")) onKey("h", "Show the health of the store", () => go("#/health"));
  if (schema.sections.includes("sync")) onKey("y", "Show the synchronisation", () => go("#/sync"));
  onKey("r", "Refresh", () => refresh());
  onKey("l", "Switch live refresh on or off", () => live.button.click());
  onKey("?", "Show this help", showHelp);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && record && !document.querySelector("dialog[open]")) {
      record.actions.close();
    }
  });
}

start().catch(report);
