import { count, get, listPath } from "./client.js";
import { element } from "./element.js";
import { text } from "./json.js";
import { rememberName } from "./labels.js";
import { referenceJSON } from "./query.js";
import { typeAddress } from "./route.js";
import { valueAt } from "./schema.js";

const shownCount = 5;

/** The records that reference a record, by relation: the first ones, and a link to the list of all. */
export class RelatedRecords {
  constructor(type, record) {
    this.type = type;
    this.identifier = valueAt(record, type.identifier);
    this.parts = type.queriedRelations.map((relation) => ({
      relation,
      content: element("div", { class: "related-list" }, element("p", { class: "muted small" }, "Loading…")),
      count: element("span", { class: "count" }),
    }));
    this.element = this.parts.length === 0 ? null : element(
      "div",
      { class: "related" },
      this.parts.map((part) =>
        element(
          "section",
          { "aria-label": part.relation.key },
          element("h3", {}, part.relation.key, " ", part.count),
          part.content,
        )
      ),
    );
  }

  async load() {
    await Promise.all(this.parts.map((part) => this.loadPart(part)));
  }

  async loadPart({ relation, content, count: shown }) {
    const related = this.type.schema.type(relation.to);
    const inverse = this.type.inverse(relation);
    const where = inverse?.isToMany
      ? { any: inverse.key, where: referenceJSON([], this.type, this.identifier) }
      : referenceJSON([relation.inverse], this.type, this.identifier);
    try {
      const [page, total] = await Promise.all([
        get(listPath(related.path, { limit: shownCount, where })),
        count(related, where),
      ]);
      shown.textContent = total.toLocaleString("en");
      for (const record of page.value) rememberName(related, record);
      const all = typeAddress(related.name, { where });
      const preset = inverse && !inverse.isToMany && related.allows.create
        ? typeAddress(related.name, { where, new: 1, set: { [relation.inverse]: this.identifier } })
        : null;
      content.replaceChildren(
        element(
          "ul",
          {},
          page.value.map((record) =>
            element(
              "li",
              {},
              element(
                "a",
                { href: typeAddress(related.name, {}, related.identifierOf(record)) },
                element("bdi", {}, related.nameOf(record)),
              ),
              element("span", { class: "muted small" }, text(related.identifierOf(record))),
            )
          ),
        ),
        element(
          "p",
          { class: "small links" },
          total > 0 &&
            element(
              "a",
              { href: all },
              total > shownCount ? `Show all ${total.toLocaleString("en")}` : "Show in a list",
            ),
          preset && element("a", { href: preset }, `Add a ${related.name}`),
        ),
      );
    } catch (error) {
      content.replaceChildren(element("p", { class: "error-text small" }, error.message));
    }
  }
}
