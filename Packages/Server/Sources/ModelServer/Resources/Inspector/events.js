import { openEvents } from "./client.js";

const shortestPause = 250;
const longestPause = 8_000;
/** The time after which a server that was too busy for a stream is tried again. */
const busyPause = 30_000;

/**
 * Follows the events about a list until it is closed, and connects again after each lost connection.
 *
 * `changed` is called once for each batch of events, `moved` whenever events begin to arrive or stop. A server that
 * refuses events is not tried again, unless it was too busy.
 */
export class EventStream {
  constructor(path, { changed, moved }) {
    Object.assign(this, { path, changed, moved });
    this.isOpen = false;
    this.position = null;
    this.aborter = new AbortController();
    this.follow();
  }

  close() {
    this.aborter.abort();
    clearTimeout(this.timer);
  }

  async follow() {
    let pause = shortestPause;
    while (!this.aborter.signal.aborted) {
      try {
        const reader = await openEvents(this.path, this.position, this.aborter.signal);
        this.setOpen(true);
        pause = shortestPause;
        pause = (await this.read(reader)) ?? pause;
      } catch (error) {
        if (this.aborter.signal.aborted) return;
        const isBusy = error.status === 429 || error.status >= 500;
        if (error.status > 0 && !isBusy) return this.setOpen(false);
        pause = isBusy ? busyPause : Math.min(pause * 2, longestPause);
      }
      if (this.aborter.signal.aborted) return;
      this.setOpen(false);
      await new Promise((resolve) => (this.timer = setTimeout(resolve, pause)));
    }
  }

  /** Reads until the end. Returns the pause before the next connection, if the server names one. */
  async read(reader) {
    let [rest, pause, hasEvents] = ["", null, false];
    while (true) {
      const { done, value } = await reader.read();
      if (done) return pause;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const line of blocks.flatMap((block) => block.split("\n"))) {
        const [, name, text] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (name === "event") hasEvents = true;
        if (name === "retry") pause = Number(text) || null;
        if (name !== "id") continue;
        // The identifier ends a batch: after a cut before it the server sends the batch again.
        this.position = text;
        if (hasEvents) this.changed();
        hasEvents = false;
      }
    }
  }

  setOpen(isOpen) {
    if (this.isOpen === isOpen) return;
    this.isOpen = isOpen;
    this.moved();
  }
}
