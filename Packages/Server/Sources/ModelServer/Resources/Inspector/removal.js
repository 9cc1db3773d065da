import { count, get, recordPath } from "./client.js";
import { ask } from "./dialog.js";
import { element } from "./element.js";
import { notify, report } from "./notice.js";
import { referenceJSON } from "./query.js";
import { typeAddress } from "./route.js";
import { remove } from "./saving.js";
import { valueAt } from "./schema.js";

/** Asks whether to delete a record, with the effects on other records. Returns whether it was deleted. */
export async function confirmRemoval(type, identifier) {
  if (!type.allows.delete) {
    notify(`The server does not allow deleting a ${type.name}.`, { isError: true });
    return false;
  }
  try {
    const { value: record, tag } = await get(recordPath(type, identifier));
    const effects = await removalEffects(type, valueAt(record, type.identifier));
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
      effects.length === 0 && element("p", {}, "No other record is changed."),
    ];
    const action = await ask(
      denials.length ? "This record can't be deleted" : `Delete this ${type.name}?`,
      content,
      denials.length
        ? [{ name: "close", title: "Close", isDefault: true }]
        : [{ name: "cancel", title: "Cancel", isDefault: true }, { name: "delete", title: "Delete", style: "danger" }],
    );
    if (action !== "delete") return false;
    await remove(type, record, tag, { offersUndo: effects.length === 0 });
    return true;
  } catch (error) {
    if (error.status === 412) {
      notify("The record changed while you were asked, so it was not deleted. Check it, and delete it again.", {
        isError: true,
      });
    } else report(error);
    return false;
  }
}

/** Returns the records that a deletion deletes or changes, and those that deny it. */
async function removalEffects(type, identifier) {
  const effects = [];
  const seen = new Set([type.name]);
  async function visit(current, conditionOf, depth) {
    for (const relation of current.relations) {
      const related = current.schema.type(relation.to);
      if (!related || !relation.inverse || !["deny", "cascade", "nullify"].includes(relation.deleteRule)) continue;
      const inverse = current.inverse(relation);
      // A reference in the record itself is deleted with it, unless it cascades.
      if (!inverse || (!current.isQueried(relation) && relation.deleteRule === "nullify")) continue;
      const where = conditionOf(inverse);
      const found = await count(related, where);
      if (found > 0) {
        effects.push({ rule: relation.deleteRule, type: related, count: found, where, key: relation.inverse });
      }
      if (relation.deleteRule !== "cascade" || found === 0 || depth > 3 || seen.has(related.name)) continue;
      seen.add(related.name);
      await visit(related, (next) => prefixed(next, where), depth + 1);
    }
  }
  await visit(type, (inverse) => prefixed(inverse, referenceJSON([], type, identifier)), 0);
  return effects;
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
