// The token is in the fragment, which browsers never send, and then in the storage of this tab.
const fragment = new URLSearchParams(location.hash.slice(1));
if (fragment.has("token")) {
  sessionStorage.setItem("token", fragment.get("token"));
  history.replaceState(null, "", location.pathname);
}
const token = sessionStorage.getItem("token");

async function get(path) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(path, { headers });
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail ?? `The server answered with ${response.status}.`);
  return body;
}

function element(name, text) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
}

const records = document.getElementById("records");

function shown(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

async function show(type) {
  const list = await get(`${type.path}?limit=100`);
  const keys = [...type.fields.map((field) => field.key), ...type.relations.filter((each) => each.isInRecord).map((each) => each.key)];
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const key of keys) head.append(element("th", key));
  const body = table.createTBody();
  for (const record of list) {
    const row = body.insertRow();
    for (const key of keys) {
      const value = key.split(".").reduce((part, name) => part?.[name], record);
      row.append(element("td", shown(value)));
    }
  }
  records.replaceChildren(list.length ? table : element("p", `There is no ${type.name} yet.`));
}

async function start() {
  const [schema, counts] = await Promise.all([get("schema"), get("counts")]);
  const types = document.getElementById("types");
  for (const type of schema.types) {
    const button = element("button");
    button.append(element("span", type.name), element("span", counts[type.name]));
    button.addEventListener("click", () => {
      for (const each of types.children) each.setAttribute("aria-current", each === button);
      show(type).catch(report);
    });
    types.append(button);
  }
  types.firstElementChild?.click();
}

function report(error) {
  records.replaceChildren(element("p", error.message));
}

start().catch(report);
