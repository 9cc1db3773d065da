// The address of a view is in the fragment, which browsers do not send: filters with values of records are in no log.

/** Reads the view from the address. */
export function currentRoute() {
  const [path, query = ""] = splitOnce(location.hash.replace(/^#\/?/, ""), "?");
  const [section = "", name = "", record = null] = path.split("/").map((part) => decoded(part));
  const parameters = new URLSearchParams(query);
  return { section, name, record, parameters };
}

/** Returns the address of a list or, with an identifier, of a record in it. */
export function typeAddress(name, parameters = {}, record = null) {
  return address(["types", name, record], parameters);
}

export function address(parts, parameters = {}) {
  const path = parts.filter((part) => part !== null && part !== "").map((part) => encodeURIComponent(part)).join("/");
  const items = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value === null || value === undefined || value === "" || value === false) continue;
    items.set(key, typeof value === "object" ? JSON.stringify(value) : value);
  }
  const query = items.toString();
  return `#/${path}${query ? `?${query}` : ""}`;
}

export function go(to, { replaces = false } = {}) {
  if (location.hash === to) return;
  if (replaces) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  dispatchEvent(new Event("routechange"));
}

function splitOnce(text, separator) {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
