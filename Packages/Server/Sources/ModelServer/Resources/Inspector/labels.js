import { get, listPath } from "./client.js";
import { fieldJSON } from "./query.js";
import { text } from "./json.js";
import { valueAt } from "./schema.js";

// The names of related records. One request for a page and a type, instead of one for each row.

const known = new Map();

function key(type, identifier) {
  return `${type.name}/${text(identifier)}`;
}

/** Returns the name of a record that was loaded; null if it is missing; undefined if it was not loaded. */
export function knownName(type, identifier) {
  return known.get(key(type, identifier));
}

export function rememberName(type, record) {
  const identifier = type.identifierOf(record);
  if (identifier !== null) known.set(key(type, identifier), type.nameOf(record));
}

export function forgetNames(type) {
  for (const each of known.keys()) if (each.startsWith(`${type.name}/`)) known.delete(each);
}

/** Loads the names of the records with these identifiers, unless they are known. */
export async function loadNames(type, identifiers, { signal, again = false } = {}) {
  const wanted = [...new Map(identifiers.map((each) => [text(each), each])).values()].filter((each) =>
    again || !known.has(key(type, each))
  );
  // In parts: the length of an address is limited.
  for (let start = 0; start < wanted.length; start += 100) {
    const part = wanted.slice(start, start + 100);
    const where = { field: fieldJSON([type.identifier]), is: "in", value: part };
    const { value } = await get(listPath(type.path, { limit: 1000, where }), { signal });
    for (const record of value) rememberName(type, record);
    const found = new Set(value.map((record) => text(valueAt(record, type.identifier))));
    for (const each of part) if (!found.has(text(each))) known.set(key(type, each), null);
  }
}

/** Loads the names of all records that these records reference. */
export async function loadReferencedNames(type, records, options) {
  const references = type.columns.filter((column) => column.type === "reference");
  await Promise.all(references.map((column) => {
    const related = type.schema.type(column.to);
    const identifiers = records.flatMap((record) => valueAt(record, column.key) ?? []);
    return related && identifiers.length ? loadNames(related, identifiers, options) : null;
  }));
}
