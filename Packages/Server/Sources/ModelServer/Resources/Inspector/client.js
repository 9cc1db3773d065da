import { parsed } from "./json.js";

/** A response with an error status, or none at all. */
export class Problem extends Error {
  constructor(status, body = {}, tag = null) {
    super(
      body.detail ?? `The server responded with the status ${status}. Reload the page, or look at the server's output.`,
    );
    this.status = status;
    this.errors = body.errors ?? {};
    this.current = body.current ?? null;
    this.code = body.code ?? null;
    this.tag = tag;
  }
}

/** Notifies of `lost` and `restored` connections, and of a `token` that the server rejects. */
export const connection = new EventTarget();
let isLost = false;

export function setToken(token) {
  sessionStorage.setItem("token", token);
}

function authorization() {
  const token = sessionStorage.getItem("token");
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/**
 * Sends a request.
 *
 * `tag` is the version that a write changes, `known` the version that a read already has. Throws a `Problem`, whose
 * `status` is 0 if there was no response.
 */
export async function send(method, path, { body, tag, known, signal } = {}) {
  const headers = authorization();
  if (tag) headers["If-Match"] = tag;
  if (known) headers["If-None-Match"] = known;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response, content;
  try {
    response = await fetch(path, {
      method,
      headers,
      signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    content = await response.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    lose();
    throw new Problem(0, { detail: "The server does not respond. Start it again: the page reconnects by itself." });
  }
  restore();
  const value = content === "" ? null : read(content);
  if (response.status === 401) connection.dispatchEvent(new Event("token"));
  if (!response.ok && response.status !== 304) {
    throw new Problem(response.status, value ?? {}, response.headers.get("ETag"));
  }
  return {
    status: response.status,
    value,
    tag: response.headers.get("ETag"),
    location: response.headers.get("Location"),
    next: /<([^>]*)>;\s*rel="?next"?/.exec(response.headers.get("Link") ?? "")?.[1] ?? null,
  };
}

/**
 * Opens the stream of events about a list, after the event with an identifier. Returns the reader of its text.
 *
 * Throws a `Problem`, whose status is 406 if the response has no events, and 0 if there was no response.
 */
export async function openEvents(path, position, signal) {
  const headers = { ...authorization(), Accept: "text/event-stream" };
  if (position) headers["Last-Event-ID"] = position;
  let response;
  try {
    response = await fetch(path, { headers, signal, cache: "no-store", credentials: "omit", redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0);
  }
  if (response.status === 401) connection.dispatchEvent(new Event("token"));
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") ?? false;
  if (response.ok && isStream) return response.body.pipeThrough(new TextDecoderStream()).getReader();
  await response.body?.cancel();
  throw new Problem(response.ok ? 406 : response.status);
}

function read(content) {
  try {
    return parsed(content);
  } catch {
    return { detail: "The response is not JSON. Another program may use this address." };
  }
}

function lose() {
  if (isLost) return;
  isLost = true;
  connection.dispatchEvent(new Event("lost"));
}

function restore() {
  if (!isLost) return;
  isLost = false;
  connection.dispatchEvent(new Event("restored"));
}

export const get = (path, options) => send("GET", path, options);

/** Returns the path of a record. */
export function recordPath(type, identifier) {
  return `${type.path}/${encodeURIComponent(identifier)}`;
}

/** Returns the path of a list. Parameters that are null are omitted. */
export function listPath(path, parameters) {
  const items = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  return `${path}?${
    items.map(([name, value]) =>
      `${name}=${encodeURIComponent(typeof value === "object" ? JSON.stringify(value) : value)}`
    ).join("&")
  }`;
}

/** Returns the number of records for which a condition holds. */
export async function count(type, where, signal) {
  const { value } = await get(listPath("counts", { type: type.name, where }), { signal });
  return value[type.name];
}

/** Returns how the store finds the records of a list: its plan, the numbers of records, and the statement, if any. */
export async function explain(type, query) {
  return (await get(listPath("explain", { type: type.name, ...query }))).value;
}
