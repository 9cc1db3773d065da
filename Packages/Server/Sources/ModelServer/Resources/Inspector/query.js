import { exactNumber, isEqual } from "./json.js";

// The conditions of the filter bar, and the JSON of queries. A condition that the bar can't show stays JSON.

const ordered = ["==", "!=", "<", "<=", ">", ">=", "in", "nil", "value"];
const operatorsByType = {
  string: [
    "contains",
    "excludes",
    "==",
    "!=",
    "hasPrefix",
    "hasSuffix",
    "in",
    "containsMatch",
    "matches",
    "nil",
    "value",
  ],
  url: ["==", "!=", "nil", "value"],
  uuid: ["==", "!=", "in", "nil", "value"],
  data: ["nil", "value"],
  json: ["nil", "value"],
  boolean: ["true", "false", "nil", "value"],
  reference: ["==", "!=", "nil", "value"],
  many: ["any", "none", "count>=", "count<="],
};

export const operatorNames = {
  "==": "is",
  "!=": "is not",
  "<": "is less than",
  "<=": "is at most",
  ">": "is greater than",
  ">=": "is at least",
  in: "is one of",
  nil: "is nil",
  value: "is not nil",
  contains: "contains",
  excludes: "does not contain",
  hasPrefix: "begins with",
  hasSuffix: "ends with",
  matches: "matches (whole)",
  containsMatch: "matches (part)",
  true: "is true",
  false: "is false",
  any: "has any",
  none: "has none",
  "count>=": "has at least",
  "count<=": "has at most",
};

const dateNames = { "<": "is before", "<=": "is at or before", ">": "is after", ">=": "is at or after" };

export function operatorName(operator, type) {
  return (type === "date" && dateNames[operator]) || operatorNames[operator];
}

export function operators(type) {
  return operatorsByType[type] ?? ordered;
}

export function needsOperand(operator) {
  return !["nil", "value", "true", "false", "any", "none"].includes(operator);
}

/** Whether a comparison of text can ignore case. */
export function canIgnoreCase(term, operator) {
  return term.type === "string" && needsOperand(operator);
}

/** Returns the terms that conditions on a type can have: its fields, its relations, and the fields of related types. */
export function terms(type) {
  const found = [];
  const add = (term) => found.push({ ...term, id: JSON.stringify([term.through ?? null, term.path]) });
  const identifier = (related) => related.fields.some((field) => field.key === related.identifier);
  for (const field of type.fields) add({ name: field.key, path: [field.key], type: field.type, field });
  // A store has no list that only the inverse defines, if records could also contain the list.
  const isStored = (relation) => !relation.isInRecord || !type.isQueried(relation);
  for (const relation of type.relations) {
    const related = type.schema.type(relation.to);
    if (!related) continue;
    if (relation.isToMany && isStored(relation)) {
      add({ name: relation.key, path: [relation.key], type: "many", related });
    } else if (!relation.isToMany && relation.isReference && identifier(related)) {
      add({ name: relation.key, path: [relation.key], type: "reference", related });
    }
  }
  for (const relation of type.relations) {
    const related = isStored(relation) ? type.schema.type(relation.to) : null;
    for (const field of related?.fields ?? []) {
      const name = `${relation.key} › ${field.key}`;
      if (relation.isToMany) add({ name, through: relation.key, path: [field.key], type: field.type, field });
      else add({ name, path: [relation.key, field.key], type: field.type, field });
    }
  }
  return found;
}

/** Returns the field of a comparison as queries write it. */
export function fieldJSON(path) {
  return path.some((key) => key.includes(".")) ? path : path.join(".");
}

/** Returns the JSON of a condition; null as long as it lacks an operand. */
export function conditionJSON({ term, operator, operand, ignoresCase }) {
  const condition = comparison(term, operator, operand, ignoresCase);
  return condition !== null && term.through ? { any: fieldJSON([term.through]), where: condition } : condition;
}

function comparison(term, operator, operand, ignoresCase) {
  const field = fieldJSON(term.path);
  switch (operator) {
    case "nil":
      return { field, is: "==", value: null };
    case "value":
      return { field, is: "!=", value: null };
    case "true":
      return { field, is: "==", value: true };
    case "false":
      return { field, is: "==", value: false };
    case "any":
      return { any: field, where: true };
    case "none":
      return { not: { any: field, where: true } };
  }
  if (operand === null || operand === undefined) return null;
  if (term.type === "many") return { field, form: "count", is: operator.slice(5), value: operand };
  if (term.type === "reference") {
    return { field: fieldJSON([...term.path, term.related.identifier]), is: operator, value: operand };
  }
  const form = ignoresCase && canIgnoreCase(term, operator) ? { form: "ignoringCase" } : {};
  if (operator === "excludes") return { not: { field, ...form, is: "contains", value: operand } };
  return { field, ...form, is: operator, value: operand };
}

/** Returns the JSON of all conditions; null for none. */
export function filterJSON(conditions, matchesAny) {
  const parts = conditions.map(conditionJSON).filter((part) => part !== null);
  if (parts.length === 0) return null;
  return parts.length === 1 ? parts[0] : { [matchesAny ? "or" : "and"]: parts };
}

/** Returns the conditions of a filter; null for a filter that the bar can't show. */
export function filterConditions(json, type) {
  if (json === null) return { conditions: [], matchesAny: false };
  const matchesAny = Array.isArray(json.or);
  const parts = json.and ?? json.or ?? [json];
  const known = terms(type);
  const conditions = parts.map((part) => condition(part, known));
  return conditions.includes(null) ? null : { conditions, matchesAny };
}

function condition(json, known) {
  for (const term of known) {
    for (const operator of operators(term.type)) {
      const inner = term.through ? json?.where : json;
      const compared = inner?.not ?? inner;
      const made = { term, operator, operand: compared?.value, ignoresCase: compared?.form === "ignoringCase" };
      const written = conditionJSON(made);
      if (written !== null && isEqual(written, json)) return made;
    }
  }
  return null;
}

/**
 * Returns the condition that a text field, or the field with a key, contains a text, or that the identifier is it. Null
 * for an empty text, false if there is no such field.
 */
export function searchJSON(search, type, key = null) {
  const wanted = search.trim();
  if (wanted === "") return null;
  const searched = type.fields.filter((field) => (key === null ? field.type === "string" : field.key === key));
  const parts = searched.map((field) => ({
    field: fieldJSON([field.key]),
    form: "ignoringCase",
    is: "contains",
    value: wanted,
  }));
  const identifier = type.fields.find((field) => field.key === type.identifier);
  if (identifier?.type === "integer" && /^-?\d{1,19}$/.test(wanted)) {
    parts.push({ field: fieldJSON([identifier.key]), is: "==", value: exactNumber(wanted) });
  }
  return parts.length === 0 ? false : { or: parts };
}

/** Returns the condition that both hold. */
export function both(first, second) {
  if (first === null) return second;
  if (second === null) return first;
  return { and: [...(first.and ?? [first]), second] };
}

/** Returns the condition that a relation of records references a record. */
export function referenceJSON(path, related, identifier) {
  return { field: fieldJSON([...path, related.identifier]), is: "==", value: identifier };
}
