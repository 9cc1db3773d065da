import { element } from "./element.js";
import { typeAddress } from "./route.js";
import { limits } from "./values.js";
import { arranged, curve, headHeight, rowHeight } from "./layout.js";

const svgNamespace = "http://www.w3.org/2000/svg";

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The types as boxes with fields and rules, and the relations between them. A table has the relations as text. */
export class Diagram {
  constructor(schema, counts) {
    this.counts = counts;
    const boxes = arranged(schema.types);
    const width = Math.max(320, ...[...boxes.values()].map((box) => box.x + box.width)) + 24;
    const height = Math.max(160, ...[...boxes.values()].map((box) => box.y + box.height)) + 24;
    const relations = pairs(schema);
    const picture = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "group",
      "aria-label": "Diagram of the types",
    }, svg("defs", {}, marker("one", "M9 2v10"), marker("many", "M1 7L11 1M1 7h10M1 7L11 13")));
    for (const relation of relations) picture.append(this.edge(relation, boxes));
    for (const [type, box] of boxes) picture.append(this.box(type, box));
    this.picture = picture;
    this.zoom = 1;
    const zoom = (factor) => {
      this.zoom = Math.min(2.5, Math.max(0.3, this.zoom * factor));
      picture.setAttribute("width", width * this.zoom);
      picture.setAttribute("height", height * this.zoom);
    };
    const control = (title, sign, factor) =>
      element(
        "button",
        { type: "button", class: "icon-only", "aria-label": title, title, click: () => zoom(factor) },
        sign,
      );
    this.element = element(
      "section",
      { class: "schema", "aria-label": "Schema" },
      element(
        "div",
        { class: "toolbar" },
        element("h1", {}, "Schema"),
        element("span", { class: "muted small" }, `${schema.types.length} types, ${relations.length} relations`),
        element("span", { class: "space" }),
        control("Smaller", "−", 1 / 1.25),
        control("Larger", "+", 1.25),
      ),
      element(
        "div",
        { class: "schema-content" },
        element(
          "div",
          { class: "picture", tabindex: "0", role: "region", "aria-label": "Diagram, scrollable" },
          picture,
        ),
        element("h2", {}, "Relations"),
        relations.length === 0
          ? element("p", { class: "muted" }, "These types have no relations.")
          : this.table(relations),
      ),
    );
  }

  box(type, { x, y, width, height }) {
    const clip = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
    const group = svg(
      "g",
      { transform: `translate(${x} ${y})`, class: "entity" },
      svg("title", {}, type.name),
      svg("rect", { width, height, rx: 9, class: "frame" }),
      svg("path", { d: `M0 ${headHeight}h${width}`, class: "rule" }),
    );
    const count = this.counts()[type.name];
    const title = svg("text", { x: 14, y: 22, class: "title" }, clip(type.name, 24));
    group.append(
      svg(
        "a",
        { href: typeAddress(type.name), "aria-label": `Records of ${type.name}` },
        svg("rect", { width, height: headHeight, rx: 9, class: "head" }),
        title,
      ),
    );
    if (count !== undefined) {
      group.append(
        svg("text", { x: width - 14, y: 22, class: "note", "text-anchor": "end" }, count.toLocaleString("en")),
      );
    }
    [
      ...type.fields,
      ...type.relations.map((relation) => ({
        ...relation,
        type: relation.isToMany ? `[${relation.to}]` : relation.to,
        isRelation: true,
      })),
    ].forEach((field, index) => {
      const line = headHeight + rowHeight * (index + 0.5) + 8;
      const rule = field.isRelation ? "" : limits(field);
      const name = svg("text", {
        x: 14,
        y: line,
        class: field.key === type.identifier ? "field identifier" : field.isRelation ? "field relation" : "field",
      }, clip(field.key, 18));
      const note = svg(
        "text",
        { x: width - 14, y: line, class: "note", "text-anchor": "end" },
        clip(
          `${field.type}${field.isRelation || field.isRequired || field.key === type.identifier ? "" : "?"}${
            rule ? ` · ${rule}` : ""
          }`,
          32,
        ),
      );
      group.append(
        svg(
          "g",
          {},
          svg(
            "title",
            {},
            `${field.key}: ${field.type}${field.isRequired ? ", required" : ""}${rule ? `, ${rule}` : ""}`,
          ),
          name,
          note,
        ),
      );
    });
    return group;
  }

  edge({ from, relation, to, inverse }, boxes) {
    const { path, middle } = curve(boxes.get(from), from, relation, boxes.get(to), to, inverse);
    const many = (each) => (each ? each.isToMany : false);
    const label = relation.isToMany || !inverse ? relation.deleteRule : inverse.deleteRule;
    return svg(
      "g",
      { class: "edge" },
      svg(
        "title",
        {},
        `${from.name}.${relation.key} – ${to.name}${inverse ? `.${inverse.key}` : ""}, delete rule ${label}`,
      ),
      svg("path", {
        d: path,
        "marker-start": `url(#${many(inverse) ? "many" : "one"})`,
        "marker-end": `url(#${relation.isToMany ? "many" : "one"})`,
      }),
      svg("text", { x: middle[0], y: middle[1] - 6, "text-anchor": "middle", class: "edge-label" }, label),
    );
  }

  table(relations) {
    const cell = (
      type,
      relation,
    ) => [
      element("td", {}, element("a", { href: typeAddress(type.name) }, type.name), relation ? `.${relation.key}` : ""),
      element("td", {}, relation ? relation.deleteRule : ""),
    ];
    return element(
      "div",
      { class: "scroller-x", tabindex: "0", role: "region", "aria-label": "Relations" },
      element(
        "table",
        { class: "plain" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["Relation", "Delete rule", "Inverse", "Delete rule"].map((title) =>
              element("th", { scope: "col" }, title)
            ),
          ),
        ),
        element(
          "tbody",
          {},
          relations.map(({ from, relation, to, inverse }) =>
            element("tr", {}, cell(from, relation), cell(to, inverse))
          ),
        ),
      ),
    );
  }
}

/** Returns each relation once, together with its inverse. */
function pairs(schema) {
  const found = [];
  const seen = new Set();
  for (const from of schema.types) {
    for (const relation of from.relations) {
      const to = schema.type(relation.to);
      if (!to || seen.has(`${from.name}/${relation.key}`)) continue;
      seen.add(`${from.name}/${relation.key}`);
      if (relation.inverse) seen.add(`${to.name}/${relation.inverse}`);
      found.push({ from, relation, to, inverse: to.relations.find((each) => each.key === relation.inverse) ?? null });
    }
  }
  return found;
}

function marker(id, d) {
  // The head of the line is at the edge of the box; a crow's foot is for many records.
  return svg("marker", {
    id,
    viewBox: "0 0 12 14",
    refX: id === "many" ? 11 : 11,
    refY: 7,
    markerWidth: 12,
    markerHeight: 14,
    orient: "auto-start-reverse",
    markerUnits: "userSpaceOnUse",
  }, svg("path", { d, class: "sign" }));
}
