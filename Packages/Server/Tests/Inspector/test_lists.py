"""Lists of records."""

import unittest

from inspector_case import By, InspectorCase, Keys
from million_server import MillionServer
from selenium.webdriver import ActionChains
from selenium.webdriver.support.select import Select


class Lists(InspectorCase):
    def test_all_types_have_their_counts(self):
        counts = self.shop.send("GET", "/_inspect/counts")
        self.until_equal(lambda: {link.find_element(By.CSS_SELECTOR, ".name").text: link.find_element(By.CSS_SELECTOR, ".count").text
                                  for link in self.all("#side a")}, {name: f"{count:,}" for name, count in counts.items()})
        self.picture("list-light")

    def test_a_column_sorts_in_both_directions(self):
        self.show()
        expected = self.shop.list("/books", sort=[{"field": "price"}], limit=50)
        self.button("price\ndecimal")
        self.until_equal(self.identifiers, [book["id"] for book in expected])
        self.assertEqual(self.one("th[aria-sort='ascending'] .key").text, "price")
        expected = self.shop.list("/books", sort=[{"field": "price", "descending": True}], limit=50)
        self.button("price\ndecimal")
        self.until_equal(self.identifiers, [book["id"] for book in expected])

    def test_shift_adds_a_column_to_the_order(self):
        self.show()
        self.button("genre\nstring")
        self.until(lambda: self.all("th[aria-sort='ascending']"))
        price = next(each for each in self.all("th button") if each.text.startswith("price"))
        ActionChains(self.driver).key_down(Keys.SHIFT).click(price).key_up(Keys.SHIFT).perform()
        expected = self.shop.list("/books", sort=[{"field": "genre"}, {"field": "price"}], limit=50)
        self.until_equal(self.identifiers, [book["id"] for book in expected])

    def test_a_relation_sorts_by_the_name_of_the_related_record(self):
        self.show()
        self.button("author\nAuthor")
        self.until_equal(self.identifiers, [book["id"] for book in self.shop.list("/books", sort=[{"field": "author.name"}], limit=50)])
        names = [row["author"] for row in self.rows()]
        self.assertEqual(names, sorted(names))

    def add_condition(self, field, operator, value=None):
        self.click(".toolbar [aria-label='Filter']")
        condition = self.all(".condition")[-1]
        Select(condition.find_element(By.CSS_SELECTOR, "[aria-label='Field']")).select_by_visible_text(field)
        condition = self.all(".condition")[-1]
        Select(condition.find_element(By.CSS_SELECTOR, "[aria-label='Operator']")).select_by_visible_text(operator)
        if value is not None:
            control = self.all(".condition")[-1].find_element(By.CSS_SELECTOR, "[aria-label='Value']")
            self.driver.execute_script("arguments[0].focus()", control)
            if control.get_attribute("type") == "datetime-local":
                self.driver.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", control, value)
            else:
                control.send_keys(value)

    def assert_filters(self, condition, holds, path="/books"):
        """Compares the list with all records for which a condition of Python holds."""
        self.show(name={"/books": "Book", "/authors": "Author"}[path])
        self.add_condition(*condition)
        expected = [record["id"] for record in self.shop.list(path) if holds(record)]
        self.assertTrue(expected and len(expected) < 400, "the condition selects some")
        self.until_equal(self.identifiers, expected[:50], f"{condition}")
        self.until_equal(lambda: self.text(".range").split(" of ")[-1], str(len(expected)))

    def test_filters_are_typed(self):
        self.assert_filters(("price", "is greater than", "45.5"), lambda book: book["price"] > 45.5)
        self.assert_filters(("title", "contains", "HARBOUR"), lambda book: "harbour" in book["title"].lower())
        self.assert_filters(("title", "does not contain", "and"), lambda book: "and" not in book["title"].lower())
        self.assert_filters(("genre", "is one of", "crime, poetry"), lambda book: book["genre"] in ("Crime", "Poetry"))
        self.assert_filters(("inStock", "is false"), lambda book: not book["inStock"])
        self.assert_filters(("addedAt", "is after", "2023-06-01T00:00"), lambda book: book["addedAt"] > "2023-06-01T00:00:00Z")
        self.picture("filter-light")

    def test_relations_can_be_filtered(self):
        authors = {author["id"]: author for author in self.shop.list("/authors")}
        books = self.shop.list("/books")
        self.assert_filters(("author › country", "is", "Japan"), lambda book: authors[book["author"]]["country"] == "Japan")
        self.assert_filters(("books", "has at least", "10"),
                            lambda author: sum(book["author"] == author["id"] for book in books) >= 10, path="/authors")
        self.assert_filters(("books › title", "begins with", "The Quiet"), lambda author: any(
            book["author"] == author["id"] and book["title"].startswith("The Quiet") for book in books), path="/authors")

    def test_a_related_record_is_chosen_by_its_name(self):
        author = self.shop.list("/authors")[4]
        self.show()
        self.add_condition("author", "is", author["name"])
        self.until(lambda: {option.text.split("\n")[0] for option in self.all(".options li")} == {author["name"]})
        self.press(Keys.ARROW_DOWN, Keys.ENTER)
        expected = {author["id"] for author in self.shop.list("/authors", where={"field": "name", "is": "==", "value": author["name"]})}
        self.until(lambda: self.rows() and {row["author"] for row in self.rows()} == {author["name"]})
        self.assertTrue(set(self.identifiers()) <= {book["id"] for book in self.shop.list("/books") if book["author"] in expected})

    def test_a_filter_that_can_not_be_read_has_its_message(self):
        self.show()
        self.add_condition("price", "is greater than", "cheap")
        self.until(lambda: "Enter a number" in self.text(".condition .error-text"))
        self.assertEqual(len(self.rows()), 50)

    def test_search_finds_text_in_any_field(self):
        self.show()
        self.one(".search input").send_keys("science clock"[:7])
        self.until_equal(self.identifiers, [book["id"] for book in self.shop.list("/books") if "science" in (book["genre"] + book["title"]).lower()][:50])

    def test_pages_have_each_record_once_and_follow_the_link_of_the_service(self):
        self.show()
        seen = []
        while True:
            page = self.identifiers()
            seen += page
            if not self.one("[aria-label='Next page']").is_enabled():
                break
            self.click("[aria-label='Next page']")
            self.until(lambda: self.identifiers() and self.identifiers()[0] != page[0])
        self.assertEqual(seen, [book["id"] for book in self.shop.list("/books")])
        requests = self.driver.execute_script("return performance.getEntriesByType('resource').map((each) => each.name)")
        self.assertEqual(sum("/books?" in each and "after=" in each for each in requests), 7)

    def test_another_filter_begins_with_the_first_page(self):
        self.show()
        self.click("[aria-label='Next page']")
        self.until(lambda: self.text(".range").startswith("51–"))
        self.one(".search input").send_keys("the")
        self.until(lambda: self.text(".range").startswith("1–50"))
        self.assertNotIn("offset", self.driver.current_url)

    def test_an_offset_in_the_address_belongs_to_its_order(self):
        self.show()
        for first in ("51–", "101–"):
            self.click("[aria-label='Next page']")
            self.until(lambda first=first: self.text(".range").startswith(first))
        sort = [{"field": "price"}]
        self.show(sort=sort, offset=100)
        self.until_equal(self.identifiers, [book["id"] for book in self.shop.list("/books", sort=sort, limit=50, offset=100)])

    def test_hidden_columns_stay_hidden(self):
        self.show()
        self.click("[aria-label='Columns']")
        next(label for label in self.all(".popover label") if label.text.startswith("genre")).click()
        self.until(lambda: "genre" not in self.rows()[0])
        self.press(Keys.ESCAPE)
        self.driver.refresh()
        self.until(lambda: self.rows() and "genre" not in self.rows()[0] and "title" in self.rows()[0])

    def test_an_address_shows_the_same_list_again(self):
        self.show(where={"field": "genre", "is": "==", "value": "Crime"}, sort=[{"field": "title"}])
        before = self.identifiers()
        self.driver.refresh()
        self.until_equal(self.identifiers, before)
        self.assertEqual(self.one("[aria-label='Value']").get_attribute("value"), "Crime")

    def test_an_empty_list_offers_what_to_do(self):
        self.show(search="no such book")
        self.assertIn("No Book matches", self.text(".empty"))
        self.button("Remove search and filter")
        self.until(lambda: len(self.rows()) == 50)

    def test_a_rejected_query_says_why_and_can_be_removed(self):
        self.show(where={"field": "weight", "is": "==", "value": 1})
        self.assertIn("no field \"weight\"", self.text(".empty"))
        self.button("Remove filter and order")
        self.until(lambda: len(self.rows()) == 50)

    def test_related_records_are_followed_by_name_in_both_directions(self):
        book = self.shop.list("/books")[0]
        author = self.shop.send("GET", f"/authors/{book['author']}")
        self.show()
        self.assertEqual(self.rows()[0]["author"], author["name"])
        self.one("tbody tr td a").click()
        self.until(lambda: self.text(".titles h2") == author["name"])
        written = [each for each in self.shop.list("/books") if each["author"] == author["id"]]
        self.until_equal(lambda: self.text("[aria-label='books'] .count"), str(len(written)))
        self.assertEqual([link.text for link in self.all("[aria-label='books'] li a")], [each["title"] for each in written[:5]])
        self.one("[aria-label='books'] .links a").click()
        self.until_equal(self.identifiers, [each["id"] for each in written])


class LargeLists(InspectorCase):
    @classmethod
    def serve(cls):
        return MillionServer()

    def test_a_list_of_a_million_records_reads_pages_only(self):
        self.show(name="Number")
        self.until(lambda: self.text(".range") == "1–50 of 1,000,000")
        self.click("[aria-label='Next page']")
        self.until(lambda: self.text(".range") == "51–100 of 1,000,000" and self.rows()[0]["text"] == "number 51")
        self.click("[aria-label='Last page']")
        self.until(lambda: self.text(".range") == "999,951–1,000,000 of 1,000,000")
        self.until_equal(self.identifiers, list(range(999_951, 1_000_001)))
        self.assertEqual(len(self.all("tbody tr")), 50)
        self.assertEqual(self.shop.sent, 150)
        self.picture("million-light")


if __name__ == "__main__":
    unittest.main()
