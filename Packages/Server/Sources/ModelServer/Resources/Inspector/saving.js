import { get, Problem, recordPath, send } from "./client.js";
import { resolve } from "./conflict.js";
import { isEqual } from "./json.js";
import { rememberName } from "./labels.js";
import { notify, report } from "./notice.js";
import { bodyOf, valueAt, valuesOf } from "./schema.js";

/** Announces written records, so that the list and the open record are read again. */
export const written = new EventTarget();

function announce(type, identifier) {
  written.dispatchEvent(new CustomEvent("written", { detail: { type, identifier } }));
}

/**
 * Writes changes to a record, unless another version of it was written meanwhile: then a dialog shows both.
 *
 * Returns the record and its tag; null if the person continues to edit. Throws a `Problem`.
 */
export async function save(type, base, tag, changes, { offersUndo = true } = {}) {
  const identifier = type.identifierOf(base);
  try {
    return await write(type, identifier, base, tag, changes, offersUndo);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 412 || !error.current) throw error;
    return await saveResolved(type, base, changes, error.current, error.tag);
  }
}

async function saveResolved(type, base, changes, current, tag) {
  const chosen = await resolve(type, base, changes, current);
  if (chosen === null) return null;
  if (chosen.size === 0) return { record: current, tag };
  return await save(type, current, tag, chosen);
}

async function write(type, identifier, base, tag, changes, offersUndo) {
  const { value, tag: newTag } = await send("PATCH", recordPath(type, identifier), {
    body: bodyOf(changes),
    tag,
  });
  rememberName(type, value);
  announce(type, identifier);
  if (offersUndo) {
    const former = new Map([...changes.keys()].map((key) => [key, valueAt(base, key)]));
    notify(`Saved ${type.nameOf(value)}.`, {
      action: { name: "Undo", run: () => undo(() => save(type, value, newTag, former, { offersUndo: false })) },
    });
  }
  return { record: value, tag: newTag };
}

/** Writes one value of a record from a list, which has no version. Returns the record; null if it was not written. */
export async function saveCell(type, record, column, entered) {
  const identifier = type.identifierOf(record);
  const { value: current, tag } = await get(recordPath(type, identifier));
  const changes = new Map([[column.key, entered]]);
  const isSame = isEqual(valueAt(current, column.key), valueAt(record, column.key));
  const saved = isSame
    ? await save(type, current, tag, changes)
    : await saveResolved(type, record, changes, current, tag);
  return saved?.record ?? null;
}

/** Creates a record. Returns it with its tag. */
export async function create(type, values, { offersUndo = true } = {}) {
  const { value, tag } = await send("POST", type.path, { body: bodyOf(values) });
  rememberName(type, value);
  const identifier = type.identifierOf(value);
  announce(type, identifier);
  if (offersUndo) {
    notify(`Created ${type.nameOf(value)}.`, {
      action: { name: "Undo", run: () => undo(() => remove(type, value, tag, { offersUndo: false })) },
    });
  }
  return { record: value, tag };
}

/** Deletes a version of a record. `offersUndo` is for a record whose deletion changes no other one. */
export async function remove(type, record, tag, { offersUndo }) {
  const identifier = type.identifierOf(record);
  await send("DELETE", recordPath(type, identifier), { tag });
  announce(type, identifier);
  const values = valuesOf(type, record);
  notify(
    `Deleted ${type.nameOf(record)}.`,
    offersUndo ? { action: { name: "Undo", run: () => undo(() => create(type, values, { offersUndo: false })) } } : {},
  );
}

async function undo(action) {
  try {
    await action();
  } catch (error) {
    report(error);
  }
}
