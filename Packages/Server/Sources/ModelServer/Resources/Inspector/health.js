import { get, send } from "./client.js";
import { button, element } from "./element.js";
import { icon } from "./icons.js";
import { report } from "./notice.js";
import { shownBytes, shownTime } from "./values.js";

const pause = 300;

/** The figures of a store, and a check of its files with its progress. */
export class Health {
  constructor() {
    this.figures = element("dl", { class: "figures" });
    this.result = element("div", { class: "check-result", role: "status" });
    this.bar = element("progress", { max: 100, "aria-label": "Checked part of the files" });
    this.percent = element("span", { class: "muted" });
    this.progress = element("div", { class: "check-progress", hidden: true }, this.bar, this.percent);
    this.start = button({ class: "primary", click: () => this.change("POST") }, "Check the files");
    this.stop = button({ hidden: true, click: () => this.change("DELETE") }, "Stop");
    this.content = element(
      "div",
      { class: "state-content" },
      element("p", { class: "loading" }, "Loading…"),
    );
    this.element = element(
      "section",
      { class: "state", "aria-label": "Health" },
      element("div", { class: "toolbar" }, element("h1", {}, "Health")),
      this.content,
    );
  }

  shown() {
    this.refresh();
  }

  async refresh() {
    try {
      const { value } = await get("health");
      this.figures.replaceChildren(...value.figures.flatMap((figure) => [
        element("dt", {}, figure.name),
        element("dd", { dir: "auto" }, shownFigure(figure)),
      ]));
      if (!this.figures.isConnected) {
        this.content.replaceChildren(
          element("div", { class: "card" }, element("h2", {}, "The store"), this.figures),
          element(
            "div",
            { class: "card" },
            element("h2", {}, "Check"),
            element("p", { class: "muted" }, "Reads the whole journal. Reads and writes continue meanwhile."),
            this.progress,
            this.result,
            element("div", { class: "actions" }, this.start, this.stop),
          ),
        );
      }
      this.showCheck(value.check);
    } catch (error) {
      this.fail(error);
    }
  }

  async change(method) {
    try {
      this.showCheck((await send(method, "health/check")).value.check);
    } catch (error) {
      report(error);
    }
  }

  showCheck(check) {
    const isRunning = check.state === "running";
    const hasFocus = [this.start, this.stop].includes(document.activeElement);
    this.progress.hidden = !isRunning;
    this.start.hidden = isRunning;
    this.stop.hidden = !isRunning;
    if (hasFocus) (isRunning ? this.stop : this.start).focus();
    if (isRunning) {
      this.bar.value = check.percent;
      this.percent.textContent = `${check.percent} %`;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.follow(), pause);
    }
    if (this.shownCheck === JSON.stringify(check)) return;
    this.shownCheck = JSON.stringify(check);
    this.result.replaceChildren(...resultOf(check));
  }

  async follow() {
    if (!this.element.isConnected) return;
    try {
      this.showCheck((await get("health/check")).value.check);
    } catch (error) {
      // The refresh of the page continues after a lost connection.
      if (error.status !== 0) report(error);
    }
  }

  fail(error) {
    if (error.status === 0 || error.status === 401) return;
    this.content.replaceChildren(failure("The health of the store can't be shown", error, () => this.refresh()));
  }
}

/** Returns a message in the place of a view, with a button that tries again. */
export function failure(title, error, retry) {
  return element(
    "div",
    { class: "empty", role: "alert" },
    element("strong", {}, title),
    element("p", { dir: "auto" }, error.message),
    element("div", { class: "actions" }, button({ click: retry }, icon("refresh"), "Retry")),
  );
}

function shownFigure(figure) {
  if (figure.bytes !== undefined) return shownBytes(figure.bytes);
  return figure.date !== undefined ? shownTime(figure.date) : figure.text;
}

function resultOf(check) {
  switch (check.state) {
    case "none":
      return [element("p", {}, "The files were not checked since the server started.")];
    case "stopped":
      return [element("p", {}, "The check was stopped. It has no result.")];
    case "failed":
      return [element("p", { class: "error-text" }, check.message)];
    case "ended": {
      const when = `Checked ${shownTime(check.date)}, in ${check.milliseconds.toLocaleString("en")} ms.`;
      if (check.problems.length === 0) {
        return [element("p", { class: "good-text" }, "Nothing is damaged. "), element("p", { class: "muted" }, when)];
      }
      const count = check.problems.length;
      return [
        element("p", { class: "error-text" }, `${count} ${count === 1 ? "part is" : "parts are"} damaged.`),
        element("ul", { class: "problems" }, check.problems.map((problem) => element("li", { dir: "auto" }, problem))),
        element(
          "p",
          {},
          "All other records are readable. Stop the server, and run ",
          element("code", {}, "modelkit repair --store FOLDER"),
          ": it keeps them, and moves the damaged bytes to a file.",
        ),
        element("p", { class: "muted" }, when),
      ];
    }
    default:
      return [];
  }
}
