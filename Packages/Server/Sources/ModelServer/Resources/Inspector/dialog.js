import { button, element, uniqueID } from "./element.js";
import { icon } from "./icons.js";

/**
 * Shows a dialog, and returns the name of the chosen action; null if it was closed.
 *
 * Each action has a `name`, a `title`, and a `style`. The first one with `isDefault` has the focus.
 */
export function ask(title, content, actions = []) {
  const id = uniqueID("dialog");
  return new Promise((resolve) => {
    let chosen = null;
    const close = (name) => {
      chosen = name;
      dialog.close();
    };
    const dialog = element(
      "dialog",
      {
        "aria-labelledby": id,
        close: () => {
          dialog.remove();
          removeEventListener("popstate", leave);
          resolve(chosen);
        },
        click: (event) => {
          if (event.target === dialog) close(null);
        },
        keydown: (event) => event.stopPropagation(),
      },
      element(
        "div",
        {},
        element(
          "header",
          {},
          element("h2", { id, dir: "auto" }, title),
          button({ class: "quiet icon-only", "aria-label": "Close", click: () => close(null) }, icon("close")),
        ),
        element("div", { class: "content", tabindex: "-1" }, content),
        actions.length > 0 && element(
          "footer",
          {},
          actions.map((action) =>
            button({ class: action.style, autofocus: action.isDefault, click: () => close(action.name) }, action.title)
          ),
        ),
      ),
    );
    // A link in the dialog opens another view.
    const leave = () => close(null);
    addEventListener("popstate", leave);
    document.body.append(dialog);
    dialog.showModal();
  });
}
