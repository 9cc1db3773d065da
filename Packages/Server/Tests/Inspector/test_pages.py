"""The schema and the query bench."""

import unittest

from inspector_case import InspectorCase, Keys


class Pages(InspectorCase):
    def test_the_diagram_has_entities_fields_rules_and_relations(self):
        self.show("schema", None)
        self.until(lambda: len(self.all(".entity")) == 3)
        texts = [[each.text for each in entity.find_elements("css selector", "text")] for entity in self.all(".entity")]
        book = next(entity for entity in texts if entity[0] == "Book")
        self.assertEqual(book[1], "400")
        self.assertIn("string · 1 to 120 characters", book[book.index("title") + 1])
        self.assertEqual(book[book.index("reviews") + 1], "[Review]")
        self.assertEqual(sorted(each.text for each in self.all(".edge-label")), ["cascade", "deny"])
        self.assertEqual([row.text for row in self.all("table.plain tbody tr")],
                         ["Author.books deny Book.author nullify", "Book.reviews cascade Review.book nullify"])
        # A line ends at the box of its type.
        self.assertTrue(self.driver.execute_script("""
            const boxes = [...document.querySelectorAll(".frame")].map((each) => each.getBoundingClientRect());
            return [...document.querySelectorAll(".edge > path")].every((path) => [0, path.getTotalLength()].every((length) => {
              const point = path.getPointAtLength(length).matrixTransform(path.getScreenCTM());
              return boxes.some((box) => Math.min(Math.abs(point.x - box.left), Math.abs(point.x - box.right)) < 1.5 && point.y > box.top && point.y < box.bottom);
            }));"""))
        self.picture("schema-light")
        self.one(".entity a").send_keys(Keys.ENTER)
        self.until(lambda: self.all(".list"))

    def test_the_bench_shows_swift_matches_and_time(self):
        where = {"and": [{"field": "title", "form": "ignoringCase", "is": "contains", "value": "sea"},
                         {"any": "reviews", "where": {"field": "stars", "is": ">", "value": 3}},
                         {"not": {"field": "author.name", "is": "hasPrefix", "value": "A"}}]}
        self.show("query", "Book", where=where, sort=[{"field": "price", "descending": True}])
        self.until(lambda: "matches" in self.text(".measures"))
        self.assertEqual(self.text("#bench-swift"), """\
let books = try await store.list(ModelQuery(
  Book.self,
  where: { $0.title.ignoringCase.contains("sea") && $0.reviews.contains { $0.stars > 3 } && !$0.author.name.hasPrefix("A") },
  sort: [.descending(\\.price)],
  limit: 50))""")
        expected = self.shop.list("/books", where=where, sort=[{"field": "price", "descending": True}])
        self.assertEqual(self.identifiers(), [book["id"] for book in expected][:50])
        self.assertRegex(self.text(".measures"), rf"^{len(expected)} match.* list \d+ ms · count \d+ ms")
        self.assertRegex(self.text("#bench-plan"), r"^Plan: .+ · read \d+, tested \d+, found \d+$")
        self.picture("query-light")

    def test_the_swift_source_is_copied(self):
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.show("query", "Review", where={"field": "stars", "is": ">=", "value": 4})
        self.until(lambda: "$0.stars >= 4" in self.text("#bench-swift"))
        self.button("Copy")
        self.until(lambda: "Copied the Swift source." in self.notices())
        copied = self.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
        self.assertEqual(copied, self.text("#bench-swift"))

    def test_the_bench_says_what_is_wrong(self):
        self.show("query", "Book")
        self.one("#bench-where").send_keys('{"field": "title", ', Keys.CONTROL, Keys.ENTER)
        self.until(lambda: "The condition is not JSON" in self.text(".bench .error-text"))
        self.assertEqual(self.one("#bench-where").get_attribute("aria-invalid"), "true")
        self.one("#bench-where").clear()
        self.one("#bench-where").send_keys('{"field": "titel", "is": "==", "value": "x"}', Keys.CONTROL, Keys.ENTER)
        self.until(lambda: 'no field "titel"' in self.text(".bench .error-text"))

    def test_a_list_opens_as_query_and_back(self):
        self.show(where={"field": "genre", "is": "==", "value": "Crime"})
        before = self.identifiers()
        self.click("[aria-label='Open as query']")
        self.until(lambda: '$0.genre == "Crime"' in self.text("#bench-swift"))
        self.button("Show as list")
        self.until_equal(self.identifiers, before)


if __name__ == "__main__":
    unittest.main()
