// Icons as paths, because the policy of the page forbids images from other hosts and inline styles.
const paths = {
  table: "M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 6.5V13",
  schema: "M2 2.5h5v4H2zM9 9.5h5v4H9zM4.5 6.5V11.5H9",
  query: "M2 4l4 4-4 4M8 12h6",
  plus: "M8 3v10M3 8h10",
  filter: "M2 3.5h12l-4.5 5v4l-3 1v-5z",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  search: "M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM10.7 10.7L14 14",
  close: "M4 4l8 8M12 4l-8 8",
  left: "M10 3L5 8l5 5",
  right: "M6 3l5 5-5 5",
  first: "M11 3L6 8l5 5M4 3v10",
  last: "M5 3l5 5-5 5M12 3v10",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  trash: "M2.5 4.5h11M6 4.5V2.5h4v2M4 4.5l.7 9h6.6l.7-9",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  refresh: "M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 2v3h-3",
  menu: "M2 4h12M2 8h12M2 12h12",
  help: "M6 6a2 2 0 1 1 3 1.7c-.7.4-1 .8-1 1.6M8 11.8v.1M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z",
  link: "M5 11l6-6M6 5h5v5",
  health: "M1.5 8.5h3l2-5 3 9 2-4h3",
  sync: "M2.5 7a5.5 5.5 0 0 1 10-2.2M12.5 2v3h-3M13.5 9a5.5 5.5 0 0 1-10 2.2M3.5 14v-3h3",
  key: "M10.5 8.5a3 3 0 1 0-2.8-2L2.5 12v1.5H5V12h1.5v-1.5H8z",
};

/** Returns an icon that screen readers skip. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}
