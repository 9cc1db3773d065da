import { button, element } from "./element.js";

const setting = "inspector.live";
const interval = 2_000;

/** Reads the visible page again and again, as long as the page is visible. A version tells whether it changed. */
export class LiveRefresh {
  constructor(refresh) {
    this.refresh = refresh;
    this.isOn = localStorage.getItem(setting) !== "off";
    this.button = button(
      { class: "quiet", title: "Show changes of other writers (l)", click: () => this.toggle() },
      element("span", { class: "live-dot", "aria-hidden": "true" }),
      element("span", { class: "word" }, "Live"),
    );
    this.button.setAttribute("aria-label", "Live refresh");
    this.show();
    this.wait();
    document.addEventListener("visibilitychange", () => this.wait(0));
  }

  toggle() {
    this.isOn = !this.isOn;
    localStorage.setItem(setting, this.isOn ? "on" : "off");
    this.show();
    this.wait(0);
  }

  show() {
    this.button.setAttribute("aria-pressed", String(this.isOn));
  }

  /** Waits for the end of a refresh before the next one: a slow store does not get more and more requests. */
  wait(milliseconds = interval) {
    clearTimeout(this.timer);
    if (!this.isOn || document.hidden) return;
    this.timer = setTimeout(async () => {
      await this.refresh({ isPoll: true }).catch(() => {});
      this.wait();
    }, milliseconds);
  }
}
