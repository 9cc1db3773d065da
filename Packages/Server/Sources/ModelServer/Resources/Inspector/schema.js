import { get } from "./client.js";
import { text } from "./json.js";

/** The types of the service, with the actions that it allows. */
export class Schema {
  static async load() {
    const [{ value }, description] = await Promise.all([get("schema"), get("/openapi.json").catch(() => null)]);
    return new Schema(value, description?.value ?? null);
  }

  constructor({ types, sections = [] }, description) {
    this.sections = sections;
    this.types = types.filter((type) => type.path !== null).map((type) => new InspectedType(type, this, description));
    this.byName = new Map(this.types.map((type) => [type.name, type]));
  }

  type(name) {
    return this.byName.get(name) ?? null;
  }
}

export class InspectedType {
  constructor(description, schema, openAPI) {
    Object.assign(this, description);
    this.schema = schema;
    // Without a description every action is offered, and the server rejects those that it does not allow.
    const allows = (path, method) => !openAPI || openAPI.paths?.[path]?.[method] !== undefined;
    const one = `${this.path}/{identifier}`;
    this.allows = { create: allows(this.path, "post"), update: allows(one, "patch"), delete: allows(one, "delete") };
    this.relations = this.relations.filter((relation) => relation.key !== null);
  }

  /** The fields and relations that records have. */
  get columns() {
    this.knownColumns ??= [
      ...this.fields.map((field) => ({ ...field, kind: "field" })),
      ...this.relations.filter((relation) => relation.isInRecord && !this.isQueried(relation)).map((relation) => ({
        ...relation,
        kind: "relation",
        name: relation.key,
        type: relation.isReference ? "reference" : "json",
        isRequired: false,
      })),
    ];
    return this.knownColumns;
  }

  /** Whether the records of a relation are found by a query of its inverse. */
  isQueried(relation) {
    const inverse = this.inverse(relation);
    if (!inverse) return false;
    return !relation.isInRecord || (relation.isToMany && !relation.isReference && inverse.isReference);
  }

  /** Returns the inverse of a relation; null if it has none. */
  inverse(relation) {
    return this.schema.type(relation.to)?.relations.find((each) => each.key === relation.inverse) ?? null;
  }

  get queriedRelations() {
    return this.relations.filter((relation) => this.isQueried(relation));
  }

  identifierOf(record) {
    const value = valueAt(record, this.identifier);
    return value === null || value === undefined ? null : text(value);
  }

  /** Returns the name of a record for people. */
  nameOf(record) {
    const label = this.label === null ? null : valueAt(record, this.label);
    return label === null || label === undefined || label === ""
      ? `${this.name} ${this.identifierOf(record) ?? ""}`
      : text(label);
  }
}

/** Returns the value at a key, null for nil; a dot in the key separates nested objects. */
export function valueAt(record, key) {
  return memberAt(record, key) ?? null;
}

/** Returns the value at a key as the record has it: undefined for a record without it. */
function memberAt(record, key) {
  return key.split(".").reduce((part, name) => part?.[name], record);
}

/** Returns the values that a new record needs to be like this one: nil as well, where the server has a default. */
export function valuesOf(type, record) {
  return new Map(
    type.columns.map((column) => [column, memberAt(record, column.key)])
      .filter(([column, value]) => value !== undefined && (value !== null || hasDefault(type, column)))
      .map(([column, value]) => [column.key, value]),
  );
}

/** Whether the server sets a value in a new record that lacks this one. */
export function hasDefault(type, column) {
  return column.default !== undefined && column.key !== type.identifier;
}

/** Returns the changes as the body of a request. The server keeps the other members of a nested object. */
export function bodyOf(changes) {
  const body = {};
  for (const [key, value] of changes) {
    const names = key.split(".");
    let part = body;
    for (const name of names.slice(0, -1)) {
      part[name] ??= {};
      part = part[name];
    }
    part[names.at(-1)] = value;
  }
  return body;
}
