import { connection, get } from "./client.js";
import { button } from "./element.js";
import { notify } from "./notice.js";

/** Shows a banner as long as the server does not respond, and calls `restored` once it does. */
export function showConnection(restored) {
  const banner = document.getElementById("connection");
  let timer = null;
  const retry = () => {
    clearTimeout(timer);
    get("schema").catch(() => {});
    timer = setTimeout(retry, 2_000);
  };
  connection.addEventListener("lost", () => {
    banner.replaceChildren(
      "The server does not respond. The page shows the data that was read last, and tries again every 2 seconds.",
      button({ click: retry }, "Try now"),
    );
    document.body.classList.add("is-lost");
    timer = setTimeout(retry, 2_000);
  });
  connection.addEventListener("restored", () => {
    clearTimeout(timer);
    banner.replaceChildren();
    document.body.classList.remove("is-lost");
    notify("The server responds again.");
    restored();
  });
}
