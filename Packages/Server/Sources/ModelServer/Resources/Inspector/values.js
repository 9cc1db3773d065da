import { element } from "./element.js";
import { exactNumber, isExact, parsed, text } from "./json.js";

const number = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const integer = /^-?(0|[1-9][0-9]*)$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const instant = /^([+-]?\d{4,6}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)Z$/;

/** A text that is no value of a type, with the message for its field. */
export class InvalidValue extends Error {}

/** Whether values of a type are aligned as numbers. */
export function isNumeric(type) {
  return type === "integer" || type === "decimal" || type === "number";
}

/** Returns the text of a value for people. Dates are in UTC, the same for every reader. */
export function shownText(value, type) {
  if (type === "date" && typeof value === "string") {
    const parts = instant.exec(value);
    return parts ? `${parts[1]} ${parts[2].replace(/:00$/, "")}` : value;
  }
  if (type === "data" && typeof value === "string") return `${byteCount(value).toLocaleString("en")} bytes`;
  return text(value);
}

/** Returns the content of a table cell. */
export function shownValue(value, type) {
  if (value === null || value === undefined) return element("span", { class: "nil" }, "nil");
  if (type === "boolean") return element("span", { class: value ? "yes" : "no" }, value ? "true" : "false");
  if (value === "") return element("span", { class: "nil" }, "empty");
  const shown = shownText(value, type);
  return element("bdi", { title: shown.length > 24 ? shown.slice(0, 1_000) : null }, shown.slice(0, 400));
}

/** Returns the value that a text is for a type. Throws `InvalidValue`. */
export function valueOf(entered, type) {
  const trimmed = entered.trim();
  switch (type) {
    case "integer":
      if (!integer.test(trimmed)) throw new InvalidValue("Enter a whole number, such as 42.");
      return exactNumber(trimmed);
    case "decimal":
    case "number":
      if (!number.test(trimmed)) throw new InvalidValue("Enter a number with a point, such as 12.50.");
      return exactNumber(trimmed);
    case "boolean":
      return trimmed === "true";
    case "date":
      return dateOf(trimmed);
    case "uuid":
      if (!uuid.test(trimmed)) throw new InvalidValue("Enter a UUID of 32 hexadecimal digits with hyphens.");
      return trimmed.toUpperCase();
    case "data":
      try {
        atob(trimmed);
      } catch {
        throw new InvalidValue("Enter Base64: letters, digits, + and /.");
      }
      return trimmed;
    case "json":
      try {
        return parsed(entered);
      } catch (error) {
        throw new InvalidValue(`Enter JSON: ${error.message}`);
      }
    default:
      return entered;
  }
}

function dateOf(trimmed) {
  const complete = /^\d{4}-\d{2}-\d{2}$/.test(trimmed) ? `${trimmed}T00:00` : trimmed.replace(" ", "T");
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/.test(complete.slice(10)) ? complete : `${complete}Z`;
  const date = new Date(zoned);
  if (Number.isNaN(date.getTime())) throw new InvalidValue("Enter a date and time in UTC, such as 2026-03-01 12:30.");
  return date.toISOString().replace(".000Z", "Z");
}

/** Returns the value of a date and time control; null if the control can't show the date. */
export function localDate(value) {
  const parts = instant.exec(value);
  // A control has milliseconds at most.
  return parts && /^\d{4}-/.test(parts[1]) ? `${parts[1]}T${parts[2].replace(/(\.\d{3})\d+$/, "$1")}` : null;
}

/** Returns the text of a point in time, in UTC. */
export function shownTime(value) {
  return `${shownText(value, "date")} UTC`;
}

/** Returns the text of a number of bytes. */
export function shownBytes(count) {
  if (count < 1_000) return `${count} bytes`;
  const units = ["kB", "MB", "GB", "TB"];
  let [size, unit] = [count / 1_000, 0];
  while (size >= 1_000 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

export function byteCount(base64) {
  return Math.max(0, Math.floor((base64.replace(/=+$/, "").length * 3) / 4));
}

/** Returns the text that an editor shows for a value. */
export function editedText(value, type) {
  if (value === null || value === undefined) return "";
  if (type === "json") return isExact(value) ? value.rawJSON : JSON.stringify(value, null, 2);
  return text(value);
}

/** Returns the limits of a field as one phrase. */
export function limits(field) {
  const { minimum, maximum } = field;
  const what = field.type === "string" ? " characters" : field.type === "data" ? " bytes" : "";
  const parts = [];
  if (minimum !== undefined && maximum !== undefined) parts.push(`${minimum} to ${maximum}${what}`);
  else if (minimum !== undefined) parts.push(`at least ${minimum}${what}`);
  else if (maximum !== undefined) parts.push(`at most ${maximum}${what}`);
  if (field.pattern) parts.push(`matches ${field.pattern}`);
  return parts.join(", ");
}
