// Numbers keep their digits: an identifier beyond 2^53, or a decimal of 30 digits, is not a JavaScript number.

/** Parses JSON. A number that JavaScript would change is an object with its digits. */
export function parsed(text) {
  return JSON.parse(text, (_, value, context) => {
    if (typeof value !== "number" || !context?.source || String(value) === context.source) return value;
    return exactNumber(context.source);
  });
}

/** Returns the number with these digits. */
export function exactNumber(digits) {
  const number = Number(digits);
  if (String(number) === digits || !JSON.rawJSON) return number;
  return JSON.rawJSON(digits);
}

export function isExact(value) {
  return JSON.isRawJSON?.(value) ?? false;
}

/** Returns the text of a scalar value. */
export function text(value) {
  if (isExact(value)) return value.rawJSON;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** Returns JSON as a person would write it: short values in one line. */
export function indented(value, margin = "") {
  if (typeof value !== "object" || value === null || isExact(value)) return JSON.stringify(value);
  const inner = `${margin}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Object.entries(value).map(([key, part]) => {
    const text = indented(part, inner);
    return Array.isArray(value) ? text : `${JSON.stringify(key)}: ${text}`;
  });
  const short = open + parts.join(", ") + close;
  if (margin.length + short.length <= 84 && !short.includes("\n")) return short;
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${margin}${close}`;
}

/** Returns whether two values are equal, regardless of the order of keys. */
export function isEqual(left, right) {
  return left === right || canonical(left) === canonical(right);
}

function canonical(value) {
  return JSON.stringify(value ?? null, (_, part) => {
    if (isExact(part) || typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([first], [second]) => (first < second ? -1 : 1)));
  });
}
