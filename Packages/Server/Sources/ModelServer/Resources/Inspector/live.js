import { button, element } from "./element.js";
import { EventStream } from "./events.js";

const setting = "inspector.live";
const pollInterval = 2_000;
/** The interval beside a stream of events, which has no changes of other types. */
const slowInterval = 10_000;
const batchPause = 100;

/**
 * Refreshes the page as long as it is visible: after each batch of events about its list, or again and again if the
 * server sends no events.
 */
export class LiveRefresh {
  constructor(refresh) {
    this.refresh = refresh;
    this.path = null;
    this.stream = null;
    this.isOn = localStorage.getItem(setting) !== "off";
    this.button = button(
      { class: "quiet", click: () => this.toggle() },
      element("span", { class: "live-dot", "aria-hidden": "true" }),
      element("span", { class: "word" }, "Live"),
    );
    this.button.setAttribute("aria-label", "Live refresh");
    this.connect();
    this.wait();
    document.addEventListener("visibilitychange", () => {
      this.connect();
      this.wait(0);
    });
  }

  toggle() {
    this.isOn = !this.isOn;
    localStorage.setItem(setting, this.isOn ? "on" : "off");
    this.connect();
    this.wait(0);
  }

  /** Follows the events of a list; null for a view that has none. */
  follow(path) {
    if (path === this.path) return;
    this.path = path;
    this.connect();
  }

  connect() {
    this.stream?.close();
    this.stream = null;
    if (this.isOn && !document.hidden && this.path !== null) {
      this.stream = new EventStream(this.path, {
        changed: () => this.change(),
        moved: () => {
          this.show();
          // A refresh finds out whether only the stream has ended.
          this.wait(this.stream?.isOpen ? undefined : 0);
        },
      });
    }
    this.show();
  }

  show() {
    const hasEvents = this.stream?.isOpen ?? false;
    this.button.setAttribute("aria-pressed", String(this.isOn));
    this.button.dataset.source = !this.isOn ? "none" : hasEvents ? "events" : "polling";
    this.button.title = !this.isOn
      ? "Show changes of other writers (l)"
      : hasEvents
      ? "Changes of other writers appear at once (l)"
      : "Changes of other writers are read every two seconds (l)";
  }

  /** Waits for the end of a refresh before the next one: a slow store does not get more and more requests. */
  wait(milliseconds = this.stream?.isOpen ? slowInterval : pollInterval) {
    clearTimeout(this.timer);
    if (!this.isOn || document.hidden || this.isRefreshing) return;
    this.timer = setTimeout(() => this.run(), this.isOutdated ? Math.min(milliseconds, batchPause) : milliseconds);
  }

  change() {
    // One refresh for all batches that arrive within the pause, or during another refresh.
    if (this.isOutdated) return;
    this.isOutdated = true;
    this.wait();
  }

  async run() {
    this.isRefreshing = true;
    this.isOutdated = false;
    await this.refresh({ isPoll: true }).catch(() => {});
    this.isRefreshing = false;
    this.wait();
  }
}
