import { isExact, text } from "./json.js";

// The Swift source of a query, for the same model classes.

const comparisons = new Set(["==", "!=", "<", "<=", ">", ">="]);
const strengths = { or: 1, and: 2, not: 3 };

/** Returns the Swift source that lists the records of a query. */
export function swiftSource(type, { where, sort, limit }) {
  const parts = [`${type.name}.self`];
  if (where !== null && where !== undefined) parts.push(`where: { ${condition(where, type)} }`);
  if (sort?.length) parts.push(`sort: [${sort.map((each) => order(each, type)).join(", ")}]`);
  if (limit) parts.push(`limit: ${limit}`);
  const collection = type.path.split("/").at(-1);
  const name = /^[a-z][A-Za-z]*$/.test(collection) ? collection : "list";
  return `let ${name} = try await store.list(ModelQuery(\n  ${parts.join(",\n  ")}))`;
}

/** Returns the Swift source of a condition. */
export function condition(json, type, outer = 0) {
  if (typeof json === "boolean") return `.constant(${json})`;
  for (const [name, sign] of [["and", "&&"], ["or", "||"]]) {
    if (!Array.isArray(json?.[name])) continue;
    const source = json[name].map((part) => condition(part, type, strengths[name])).join(` ${sign} `);
    return strengths[name] < outer || (outer === strengths.not && json[name].length > 1) ? `(${source})` : source;
  }
  if (json?.not !== undefined) {
    const { any, where } = json.not;
    if (any !== undefined && where === true) return `${column(any, type)}.isEmpty`;
    const source = condition(json.not, type, strengths.not);
    return source.startsWith("(") || isCall(json.not) ? `!${source}` : `!(${source})`;
  }
  if (json?.any !== undefined) {
    const related = typeAt(type, keys(json.any));
    return json.where === true
      ? `!${column(json.any, type)}.isEmpty`
      : `${column(json.any, type)}.contains { ${condition(json.where, related)} }`;
  }
  return comparison(json, type);
}

function isCall(json) {
  return json.field !== undefined && !comparisons.has(json.is);
}

function comparison(json, type) {
  const left = column(json.field, type) + (json.form ? `.${json.form}` : "");
  if (json.than !== undefined) return `${left} ${json.is} ${column(json.than.field, type)}`;
  const valueType = json.form === "count" ? "integer" : fieldAt(type, keys(json.field))?.type;
  if (comparisons.has(json.is)) return `${left} ${json.is} ${literal(json.value, valueType)}`;
  switch (json.is) {
    case "in":
      return `${left}.isIn([${(json.value ?? []).map((value) => literal(value, valueType)).join(", ")}])`;
    case "matches":
      return `${left}.matches(${pattern(json.value)})`;
    case "matchesWords":
      return `${left}.matches(words: ${literal(json.value, valueType)})`;
    case "containsMatch":
      return `${left}.contains(${pattern(json.value)})`;
    default:
      return `${left}.${json.is}(${literal(json.value, valueType)})`;
  }
}

function order(sort, type) {
  const name = sort.descending ? "descending" : "ascending";
  const path = keys(sort.field);
  return path.length === 1 && !sort.form
    ? `.${name}(\\.${property(path, type)})`
    : `.${name} { ${column(sort.field, type)}${sort.form ? `.${sort.form}` : ""} }`;
}

function keys(field) {
  return Array.isArray(field) ? field : String(field).split(".");
}

function column(field, type) {
  return `$0.${property(keys(field), type)}`;
}

/** Returns the properties of a path: they can have other names than their keys in records. */
function property(path, type) {
  let current = type;
  return path.map((key) => {
    const isKey = (each) => each.key === key;
    const relation = current?.relations.find(isKey);
    const name = (current?.fields.find(isKey) ?? relation)?.name ?? key;
    current = relation && current.schema.type(relation.to);
    return identifier(name);
  }).join(".");
}

function identifier(name) {
  const words = [
    "class",
    "default",
    "extension",
    "func",
    "in",
    "internal",
    "is",
    "let",
    "operator",
    "private",
    "public",
    "repeat",
    "return",
    "self",
    "static",
    "switch",
    "var",
    "where",
  ];
  return words.includes(name) ? `\`${name}\`` : name;
}

function typeAt(type, path) {
  let current = type;
  for (const key of path) current = current?.schema.type(current.relations.find((each) => each.key === key)?.to);
  return current ?? null;
}

function fieldAt(type, path) {
  return typeAt(type, path.slice(0, -1))?.fields.find((field) => field.key === path.at(-1)) ?? null;
}

function literal(value, type) {
  if (value === null || value === undefined) return "nil";
  if (isExact(value) || (type === "decimal" && !Number.isInteger(value))) {
    return type === "decimal" ? `Decimal(string: "${text(value)}")!` : text(value);
  }
  if (typeof value !== "string") return JSON.stringify(value);
  switch (type) {
    case "date":
      return `Date(timeIntervalSince1970: ${new Date(value).getTime() / 1000})`;
    case "uuid":
      return `UUID(uuidString: ${quoted(value)})!`;
    case "url":
      return `URL(string: ${quoted(value)})!`;
    case "data":
      return `Data(base64Encoded: ${quoted(value)})!`;
    default:
      return quoted(value);
  }
}

function quoted(value) {
  const escapes = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };
  return `"${value.replace(/[\\"\n\r\t\0]/g, (character) => escapes[character])}"`;
}

function pattern(value) {
  return `/${String(value).replace(/(\\.)|\//g, (_, escaped) => escaped ?? "\\/")}/`;
}
