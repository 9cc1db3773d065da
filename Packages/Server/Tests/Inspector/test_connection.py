"""Other writers, lost connections, tokens."""

import unittest

from inspector_case import InspectorCase


class Connection(InspectorCase):
    def test_changes_of_other_writers_appear(self):
        self.show()
        self.click("[aria-label='Live refresh']")
        self.shop.send("PATCH", "/books/2", {"title": "Written elsewhere"})
        self.until(lambda: self.rows()[1]["title"] == "Written elsewhere")
        self.assertEqual(self.one("td.changed").text, "Written elsewhere")
        self.shop.send("DELETE", "/books/1")
        self.until(lambda: self.identifiers()[0] == 2)
        self.until(lambda: self.text("#side [aria-current] .count") == "399")
        self.click("[aria-label='Live refresh']")
        self.assertEqual(self.one("[aria-label='Live refresh']").get_attribute("aria-pressed"), "false")

    def test_an_open_record_warns_of_other_writers_and_keeps_its_changes(self):
        self.open("Book", 8)
        self.click("[aria-label='Live refresh']")
        self.enter("title", "Typed here")
        self.shop.send("PATCH", "/books/8", {"genre": "Essays"})
        self.until(lambda: "Another writer changed this record" in self.text(".warning"))
        self.assertEqual(self.field("title").get_attribute("value"), "Typed here")
        self.driver.execute_script("localStorage.setItem('inspector.live', 'off'); onbeforeunload = null")
        self.button("Revert")

    def first_row(self):
        return int(self.text(".range").split("–")[0])

    def test_a_list_equals_a_fresh_query_after_a_lost_connection(self):
        self.shop.send("PATCH", "/books/53", {"title": "Lost with the memory"})
        self.show()
        self.click("[aria-label='Next page']")
        self.until(lambda: "Lost with the memory" in [row["title"] for row in self.rows()])
        self.shop.stop()
        self.click("[aria-label='Refresh']")
        self.until(lambda: "does not respond" in self.text("#connection"))
        self.assertEqual(len(self.rows()), 50)
        self.picture("lost-light")
        self.shop.restart()
        self.until(lambda: self.text("#connection") == "")
        expected = [book["title"] for book in self.shop.list("/books", limit=50, offset=self.first_row() - 1)]
        self.assertNotIn("Lost with the memory", expected)
        self.until_equal(lambda: [row["title"] for row in self.rows()], expected)


class Tokens(InspectorCase):
    def test_a_page_without_token_asks_for_it(self):
        self.driver.execute_script("sessionStorage.clear()")
        self.driver.refresh()
        self.until(lambda: "needs a token" in self.text("main"))
        self.one("#token").send_keys("inspector-tests-token\n")
        self.until(lambda: len(self.all("#side a")) == 3)

    def test_the_token_leaves_the_address(self):
        self.assertNotIn("token", self.driver.current_url)
        requests = self.driver.execute_script("return performance.getEntriesByType('resource').map((each) => each.name).join()")
        self.assertNotIn("inspector-tests-token", requests)


if __name__ == "__main__":
    unittest.main()
