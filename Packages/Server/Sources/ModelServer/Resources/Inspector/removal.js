import { count, get, recordPath } from "./client.js";
import { ask } from "./dialog.js";
import { element } from "./element.js";
import { notify, report } from "./notice.js";
import { fieldJSON, referenceJSON } from "./query.js";
import { typeAddress } from "./route.js";
import { remove } from "./saving.js";
import { valueAt } from "./schema.js";

/** Confirms the deletion of a record, with its effects on other records. Returns whether it was deleted. */
export async function confirmRemoval(type, identifier) {
  if (!type.allows.delete) {
    notify(`The server does not allow deleting a ${type.name}.`, { isError: true });
    return false;
  }
  try {
    const { value: record, tag } = await get(recordPath(type, identifier));
    const { effects, isComplete } = await removalEffects(type, record);
    const denials = effects.filter((effect) => effect.rule === "deny");
    const list = (rule, phrase) => {
      const matching = effects.filter((effect) => effect.rule === rule);
      return matching.length > 0 &&
        element(
          "ul",
          {},
          matching.map((effect) =>
            element(
              "li",
              {},
              element(
                "a",
                { href: typeAddress(effect.type.name, { where: effect.where }) },
                `${effect.count.toLocaleString("en")} ${effect.type.name} ${effect.count === 1 ? "record" : "records"}`,
              ),
              ` ${phrase(effect)}`,
            )
          ),
        );
    };
    const content = [
      element(
        "p",
        {},
        element("strong", {}, element("bdi", {}, type.nameOf(record))),
        element("span", { class: "muted" }, ` ${type.name} ${identifier}`),
      ),
      list("deny", () => "with a reference to it. Delete them, or change their reference, first."),
      list("cascade", () => "will be deleted with it."),
      list("nullify", (effect) => `will lose ${effect.key}.`),
      effects.length === 0 && isComplete && element("p", {}, "No other record is changed."),
      !isComplete && element("p", {}, "Other records may be deleted or changed, too."),
    ];
    const action = await ask(
      denials.length ? "This record can't be deleted" : `Delete this ${type.name}?`,
      content,
      denials.length
        ? [{ name: "close", title: "Close", isDefault: true }]
        : [{ name: "cancel", title: "Cancel", isDefault: true }, { name: "delete", title: "Delete", style: "danger" }],
    );
    if (action !== "delete") return false;
    await remove(type, record, tag, { offersUndo: effects.length === 0 && isComplete });
    return true;
  } catch (error) {
    if (error.status === 412) {
      notify("The record changed before you confirmed, so it was not deleted. Check it, and delete it again.", {
        isError: true,
      });
    } else report(error);
    return false;
  }
}

/**
 * Returns the records that a deletion deletes or changes, and those that deny it, as `effects`. `isComplete` is whether
 * there are no others.
 */
async function removalEffects(type, record) {
  const effects = [];
  const seen = new Set([type.name]);
  let isComplete = true;
  /** Adds an effect on the records of a condition. Returns their number. */
  async function add(rule, related, where, key) {
    let found = 0;
    try {
      found = await count(related, where);
    } catch (error) {
      // The store can't evaluate the condition, or the user may not read the records.
      if (error.status !== 400 && error.status !== 403) throw error;
      isComplete = false;
    }
    if (found > 0) effects.push({ rule, type: related, count: found, where, key });
    return found;
  }
  async function visit(current, conditionOf, depth) {
    for (const relation of current.relations) {
      if (!["deny", "cascade", "nullify"].includes(relation.deleteRule)) continue;
      const related = current.schema.type(relation.to);
      const inverse = current.inverse(relation);
      // An embedded record is a part of this one.
      if (!inverse && relation.isInRecord && !relation.isReference) continue;
      // A reference in the record itself is deleted with it, unless it cascades.
      if (relation.deleteRule === "nullify" && relation.isInRecord && !current.isQueried(relation)) continue;
      let where = null;
      if (inverse) where = conditionOf(inverse);
      else if (related && depth === 0) where = referencedJSON(relation, related, record);
      if (where === null) {
        isComplete = false;
        continue;
      }
      if (where === false) continue;
      const found = await add(relation.deleteRule, related, where, relation.inverse);
      if (relation.deleteRule !== "cascade" || found === 0) continue;
      if (depth > 3 || seen.has(related.name)) {
        isComplete = false;
        continue;
      }
      seen.add(related.name);
      await visit(related, (next) => prefixed(next, where), depth + 1);
    }
    for (const other of current.schema.types) {
      for (const relation of other.relations) {
        if (relation.to !== current.name || relation.inverse || !relation.isReference || !relation.isInRecord) continue;
        await add("nullify", other, conditionOf(relation), relation.key);
      }
    }
  }
  const reference = referenceJSON([], type, valueAt(record, type.identifier));
  await visit(type, (relation) => prefixed(relation, reference), 0);
  return { effects, isComplete };
}

/** Returns the condition that a record is one of those that a relation of another record references; false for none. */
function referencedJSON(relation, related, record) {
  const identifiers = [valueAt(record, relation.key) ?? []].flat();
  return identifiers.length > 0 && { field: fieldJSON([related.identifier]), is: "in", value: identifiers };
}

/** Returns the condition that the record at a relation fulfils another condition. */
function prefixed(relation, condition) {
  if (relation.isToMany) return { any: relation.key, where: condition };
  if (condition.any !== undefined) return { any: `${relation.key}.${condition.any}`, where: condition.where };
  return {
    ...condition,
    field: Array.isArray(condition.field) ? [relation.key, ...condition.field] : `${relation.key}.${condition.field}`,
  };
}
