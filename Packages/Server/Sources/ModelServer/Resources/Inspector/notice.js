import { button, element } from "./element.js";

/** Shows a message at the bottom of the page. An action keeps it there for longer. */
export function notify(message, { isError = false, action = null } = {}) {
  const notices = document.getElementById("notices");
  const remove = () => notice.remove();
  const notice = element(
    "div",
    { class: isError ? "notice error" : "notice" },
    element("span", { dir: "auto" }, message),
    action && button({
      click: () => {
        remove();
        action.run();
      },
    }, action.name),
    button({ "aria-label": "Close the message", click: remove }, "✕"),
  );
  notices.append(notice);
  while (notices.children.length > 3) notices.firstChild.remove();
  setTimeout(remove, isError || action ? 12_000 : 5_000);
}

export function report(error) {
  if (error.name === "AbortError" || error.status === 0 || error.status === 401) return;
  notify(error.message, { isError: true });
}
