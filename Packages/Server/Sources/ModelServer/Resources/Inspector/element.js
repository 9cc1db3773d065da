/**
 * Creates an element. Children and attributes are text, never markup, so that values of records can't inject code.
 *
 * Functions become listeners: `element("button", { click: save }, "Save")`. An attribute of null, undefined or false is
 * omitted, except for those of ARIA, whose false has a meaning.
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (typeof value === "function") made.addEventListener(key, value);
    else if (key === "value") made.value = value;
    else if (key.startsWith("aria-")) made.setAttribute(key, String(value));
    else if (value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** Creates a button. */
export function button(attributes, ...children) {
  return element("button", { type: "button", ...attributes }, ...children);
}

let lastNumber = 0;

/** Returns an identifier that no other element of the page has. */
export function uniqueID(prefix) {
  lastNumber += 1;
  return `${prefix}-${lastNumber}`;
}

/** Returns a function that calls another one once its calls pause. */
export function delayed(milliseconds, call) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
}
