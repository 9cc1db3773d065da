"""Records: editing, conflicts, creation and deletion."""

import unittest
from pathlib import Path

from inspector_case import InspectorCase, Keys

ROOT = Path(__file__).resolve().parents[4]


class Records(InspectorCase):
    def book(self, identifier):
        return self.shop.send("GET", f"/books/{identifier}")

    def make(self, **values):
        return self.shop.send("POST", "/books", {"title": "A made book", "price": 10, "genre": "Novel", **values})["id"]

    def save(self):
        self.button("Save", "#drawer")

    def test_saving_writes_the_changed_fields_only(self):
        identifier = self.make(addedAt="2024-05-06T07:08:09.123Z")
        before = self.book(identifier)
        self.open("Book", identifier)
        self.enter("title", "Another title")
        self.assertEqual(self.text(".record-foot span"), "1 change")
        self.save()
        self.until(lambda: self.text(".titles h2") == "Another title")
        self.assertEqual(self.book(identifier), {**before, "title": "Another title"})
        self.until(lambda: self.text(".record-foot span") == "No changes")

    def test_messages_of_rules_are_at_their_fields(self):
        identifier = self.make()
        before = self.book(identifier)
        self.open("Book", identifier)
        self.enter("title", "x" * 121)
        self.enter("price", "-1")
        self.press(Keys.CONTROL, Keys.ENTER)
        for key, message in (("title", "length must be less than or equal to 120"), ("price", "must be greater than or equal to 0")):
            self.until(lambda key=key: self.field(key).get_attribute("aria-invalid") == "true")
            described = self.field(key).get_attribute("aria-describedby").split()[0]
            self.assertEqual(self.text(f"#{described}"), message)
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("data-key"), "price")
        self.picture("rules-light")
        self.assertEqual(self.book(identifier), before)

    def test_a_text_that_is_no_number_is_not_sent(self):
        identifier = self.make()
        self.open("Book", identifier)
        self.enter("price", "ten")
        self.save()
        self.until(lambda: "Enter a number" in self.text("#drawer .invalid .error-text"))
        self.assertEqual(self.book(identifier)["price"], 10)

    def open_conflict(self):
        identifier = self.make(title="Base", price=1, genre="Novel")
        self.open("Book", identifier)
        self.enter("title", "Yours")
        self.enter("price", "2")
        self.shop.send("PATCH", f"/books/{identifier}", {"title": "Theirs", "genre": "Crime"})
        self.save()
        self.one("dialog")
        return identifier

    def test_a_conflict_shows_base_yours_and_theirs(self):
        self.open_conflict()
        rows = [[cell.text for cell in row.find_elements("css selector", "th, td")] for row in self.all("dialog tbody tr")]
        self.assertEqual(rows, [["title", "Base", "Yours", "Theirs"], ["genre", "Novel", "Novel", "Crime"], ["price", "1", "2", "1"]])
        self.picture("conflict-light")
        self.button("Continue editing")
        self.assertEqual(self.field("title").get_attribute("value"), "Yours")

    def test_a_conflict_saves_the_chosen_values(self):
        identifier = self.open_conflict()
        self.button("Save the chosen values")
        self.until(lambda: self.book(identifier)["title"] == "Yours")
        self.assertEqual((self.book(identifier)["genre"], self.book(identifier)["price"]), ("Crime", 2))
        identifier = self.open_conflict()
        self.click("dialog [aria-label='Theirs for title']")
        self.button("Save the chosen values")
        self.until(lambda: self.book(identifier)["price"] == 2)
        self.assertEqual(self.book(identifier)["title"], "Theirs")

    def test_a_conflict_can_be_discarded(self):
        identifier = self.open_conflict()
        self.button("Discard my changes")
        self.until(lambda: self.text(".titles h2") == "Theirs")
        self.assertEqual((self.book(identifier)["title"], self.book(identifier)["price"]), ("Theirs", 1))

    def test_a_record_that_another_writer_deleted_says_so(self):
        identifier = self.make()
        self.open("Book", identifier)
        self.enter("title", "Too late")
        self.shop.send("DELETE", f"/books/{identifier}")
        self.save()
        self.until(lambda: "deleted this record" in self.text("#drawer [role='alert']"))
        self.assertEqual(self.field("title").get_attribute("value"), "Too late")

    def test_a_saved_change_can_be_undone(self):
        identifier = self.make(title="First")
        self.open("Book", identifier)
        self.enter("title", "Second")
        self.save()
        self.until(lambda: self.book(identifier)["title"] == "Second")
        self.button("Undo")
        self.until(lambda: self.book(identifier)["title"] == "First")

    def test_nil_and_the_empty_text_differ(self):
        identifier = self.make(genre="Novel")
        self.open("Book", identifier)
        self.field("genre").clear()
        self.save()
        self.until(lambda: self.book(identifier)["genre"] == "")
        self.click("[aria-label='Set genre to nil']")
        self.until(lambda: self.one("[aria-label='Set genre to nil']").get_attribute("aria-pressed") == "true")
        self.save()
        self.until(lambda: self.book(identifier)["genre"] is None)

    def test_a_date_with_microseconds_is_shown_kept_and_removed(self):
        date = "2024-05-06T07:08:09.123456Z"
        identifier = self.make(addedAt=date)
        stored = self.book(identifier)["addedAt"]
        self.assertIn(".123456", stored)
        self.open("Book", identifier)
        self.assertEqual(self.field("addedAt").get_attribute("value"), "2024-05-06T07:08:09.123")
        self.enter("title", "With a date")
        self.save()
        self.until(lambda: self.book(identifier)["title"] == "With a date")
        self.assertEqual(self.book(identifier)["addedAt"], stored)
        self.until(lambda: self.text(".record-foot span") == "No changes")
        self.field("addedAt").clear()
        self.save()
        self.until(lambda: self.book(identifier)["addedAt"] is None)

    def test_numbers_keep_all_their_digits(self):
        digits = "12345678901234567890.123456789"
        identifier = self.make()
        self.open("Book", identifier)
        self.enter("price", digits)
        self.save()
        self.until(lambda: self.text(".record-foot span") == "No changes")
        self.show()
        self.show(where={"field": "id", "is": "==", "value": identifier})
        self.until(lambda: self.rows()[0]["price"] == digits)

    def test_identifiers_beyond_two_to_the_53rd_are_exact(self):
        identifier = 9_007_199_254_740_993
        self.make(id=identifier, title="Large identifier")
        review = self.shop.send("POST", "/reviews", {"stars": 5, "reviewer": "Ada", "book": identifier})["id"]
        self.open("Review", review)
        self.until(lambda: self.field("book").get_attribute("value") == "Large identifier")
        self.one("#drawer .field-head a").click()
        self.until(lambda: self.text(".titles p") == f"Book {identifier}")
        self.until_equal(lambda: [link.text for link in self.all("[aria-label='reviews'] li a")], ["Ada"])
        self.one("[aria-label='reviews'] .links a").click()
        self.until_equal(self.identifiers, [review])
        self.driver.refresh()
        self.until_equal(self.identifiers, [review])
        self.show(search=str(identifier))
        self.until_equal(lambda: [row["id"] for row in self.rows()], [str(identifier)])

    def test_a_cell_is_edited_in_place_with_the_keyboard(self):
        identifier = self.make(title="In a cell")
        self.show(where={"field": "id", "is": "==", "value": identifier})
        self.until(lambda: len(self.rows()) == 1)
        self.one("td[tabindex='0']").send_keys(Keys.ARROW_RIGHT)
        self.press("e")
        self.one(".cell-editor input")
        self.press(Keys.CONTROL, "a")
        self.press(Keys.BACKSPACE, Keys.ENTER)
        self.until(lambda: "length must be" in self.text(".cell-editor .error-text"))
        self.press("Changed in a cell", Keys.ENTER)
        self.until(lambda: self.book(identifier)["title"] == "Changed in a cell")
        self.until(lambda: self.rows()[0]["title"] == "Changed in a cell")
        self.assertEqual(self.driver.switch_to.active_element.tag_name, "td")

    def test_a_cell_that_another_writer_changed_shows_the_conflict(self):
        identifier = self.make(title="Seen")
        self.show(where={"field": "id", "is": "==", "value": identifier})
        self.until(lambda: len(self.rows()) == 1)
        self.shop.send("PATCH", f"/books/{identifier}", {"title": "Written elsewhere"})
        self.one("td[tabindex='0']").send_keys(Keys.ARROW_RIGHT)
        self.press(Keys.F2)
        self.one(".cell-editor input")
        self.press(Keys.CONTROL, "a")
        self.press("Typed", Keys.ENTER)
        self.until(lambda: [cell.text for cell in self.all("dialog tbody tr:first-child > *")] == ["title", "Seen", "Typed", "Written elsewhere"])
        self.button("Continue editing", "dialog")
        self.assertEqual(self.one(".cell-editor input").get_attribute("value"), "Typed")
        self.press(Keys.ENTER)
        self.button("Save the chosen values", "dialog")
        self.until(lambda: self.book(identifier)["title"] == "Typed")

    def test_a_record_is_created_with_the_related_one(self):
        author = self.shop.list("/authors")[0]
        self.open("Author", author["id"])
        next(link for link in self.until(lambda: self.all("[aria-label='books'] .links a")) if link.text == "Add a Book").click()
        self.until(lambda: self.text(".titles h2") == "New Book")
        self.until(lambda: self.field("author").get_attribute("value") == author["name"])
        self.assertEqual(self.field("title").get_attribute("value"), "Untitled")
        self.enter("title", "A new book")
        self.button("Create")
        self.until(lambda: self.text(".titles h2") == "A new book")
        made = self.shop.list("/books", where={"field": "title", "is": "==", "value": "A new book"})
        self.assertEqual([book["author"] for book in made], [author["id"]])
        self.until(lambda: str(made[0]["id"]) in self.driver.current_url)

    def test_a_duplicate_has_all_values_except_for_the_identifier(self):
        identifier = self.make(title="Twice", published=1999, author=3)
        self.open("Book", identifier)
        self.click("#drawer [aria-label='Duplicate']")
        self.until(lambda: self.text(".titles h2") == "New Book" and self.field("title").get_attribute("value") == "Twice")
        self.button("Create")
        made = self.until(lambda: [book for book in self.shop.list("/books", where={"field": "title", "is": "==", "value": "Twice"}) if book["id"] != identifier])
        self.assertEqual({**made[0], "id": identifier}, self.book(identifier))

    def test_a_deletion_is_confirmed_with_its_effects_and_can_be_undone(self):
        identifier = self.make(title="Deleted")
        before = self.book(identifier)
        self.open("Book", identifier)
        self.click("#drawer [aria-label='Delete']")
        self.assertIn("No other record is changed", self.text("dialog"))
        self.button("Cancel", "dialog")
        self.assertEqual(self.book(identifier), before)
        self.click("#drawer [aria-label='Delete']")
        self.button("Delete", "dialog")
        self.until(lambda: self.book(identifier) is None)
        self.until(lambda: not self.one("#drawer").is_displayed())
        self.button("Undo")
        self.until(lambda: self.book(identifier) == before)

    def test_a_deletion_says_what_cascades_and_what_denies_it(self):
        identifier = self.make(author=2)
        review = self.shop.send("POST", "/reviews", {"stars": 4, "reviewer": "Ada", "book": identifier})["id"]
        self.open("Book", identifier)
        self.click("#drawer [aria-label='Delete']")
        self.until(lambda: "1 Review record will be deleted with it" in self.text("dialog"))
        self.picture("deletion-light")
        self.button("Delete", "dialog")
        self.until(lambda: self.shop.send("GET", f"/reviews/{review}") is None)
        self.open("Author", 2)
        self.click("#drawer [aria-label='Delete']")
        self.until(lambda: "can't be deleted" in self.text("dialog"))
        self.assertFalse([each for each in self.all("dialog button") if each.text == "Delete"])
        self.button("Close", "dialog")

    def test_unsaved_changes_are_not_lost_without_asking(self):
        identifier = self.make()
        self.open("Book", identifier)
        self.enter("title", "Not saved")
        self.press(Keys.ESCAPE)
        self.until(lambda: "Discard the changes?" in self.text("dialog"))
        self.button("Continue editing", "dialog")
        self.assertEqual(self.field("title").get_attribute("value"), "Not saved")
        self.press(Keys.ESCAPE)
        self.button("Discard", "dialog")
        self.until(lambda: not self.one("#drawer").is_displayed())


class ReadOnlyRecords(InspectorCase):
    arguments = ("--sample", "bookshop", "--read-only")

    def test_a_server_that_allows_reading_only_offers_no_writes(self):
        self.show()
        self.assertFalse(self.all("[aria-label='New record']"))
        self.open("Book", 1)
        self.assertFalse(self.all("#drawer [aria-label='Delete'], #drawer [aria-label='Duplicate'], #drawer .primary"))
        self.assertFalse(self.field("title").is_enabled())


class RecordsWithoutInverses(InspectorCase):
    arguments = (str(Path(__file__).resolve().parent / "Library.xcdatamodel"),)

    def delete(self, name, identifier):
        self.open(name, identifier)
        self.click("#drawer [aria-label='Delete']")
        self.one("dialog")

    def test_a_deletion_says_what_cascades_and_what_loses_a_reference_without_inverse(self):
        self.shop.send("POST", "/cards", {"id": 1, "name": "A card"})
        self.shop.send("POST", "/readers", {"id": 1, "name": "Ada", "card": 1})
        self.shop.send("POST", "/loans", {"id": 1, "name": "A loan", "reader": 1})
        self.delete("Reader", 1)
        self.until(lambda: "1 Card record will be deleted with it" in self.text("dialog"))
        self.assertIn("1 Loan record will lose reader", self.text("dialog"))
        self.assertNotIn("Other records", self.text("dialog"))
        self.button("Delete", "dialog")
        self.until(lambda: self.shop.send("GET", "/cards/1") is None)
        self.assertFalse([each for each in self.all("#notices button") if each.text == "Undo"])

    def test_a_deletion_says_that_it_may_have_more_effects(self):
        for identifier in (1, 2, 3):
            self.shop.send("POST", "/shelves", {"id": identifier, "above": identifier - 1 or None})
        self.delete("Shelf", 1)
        self.until(lambda: "1 Shelf record will be deleted with it" in self.text("dialog"))
        self.assertIn("Other records may be deleted or changed, too", self.text("dialog"))
        self.button("Cancel", "dialog")

    def test_a_record_is_deleted_whose_effects_the_store_can_not_find(self):
        self.shop.send("POST", "/readers", {"id": 2, "name": "Boris"})
        self.open("Reader", 2)
        # As from a store that does not evaluate the conditions.
        self.driver.execute_script("""
            const send = window.fetch;
            window.fetch = async (path, options) => String(path).includes("counts?")
              ? new Response('{"detail": "The condition is not evaluated here."}', { status: 400 }) : send(path, options);""")
        self.click("#drawer [aria-label='Delete']")
        self.until(lambda: "Other records may be deleted or changed, too" in self.text("dialog"))
        self.button("Delete", "dialog")
        self.until(lambda: self.shop.send("GET", "/readers/2") is None)
        self.assertFalse([each for each in self.all("#notices button") if each.text == "Undo"])

    def test_a_search_of_a_reference_that_fails_shows_the_reason(self):
        self.shop.send("POST", "/loans", {"id": 2, "name": "A loan"})
        self.open("Loan", 2)
        self.driver.execute_script("""
            const send = window.fetch;
            window.fetch = async (path, options) => String(path).includes("ignoringCase")
              ? new Response('{"detail": "The condition is not evaluated here."}', { status: 400 }) : send(path, options);""")
        self.enter("reader", "Ada")
        self.until(lambda: "The condition is not evaluated here." in self.text("#drawer .options"))

    def test_nil_stays_nil_in_a_deleted_record_that_is_restored(self):
        self.shop.send("POST", "/readers", {"id": 3, "name": "Nina", "isActive": None, "limit": None})
        before = self.shop.send("GET", "/readers/3")
        self.assertEqual((before["isActive"], before["limit"]), (None, None))
        self.delete("Reader", 3)
        self.button("Delete", "dialog")
        self.until(lambda: self.shop.send("GET", "/readers/3") is None)
        self.button("Undo")
        self.until(lambda: self.shop.send("GET", "/readers/3") == before)

    def test_a_value_with_a_default_can_be_nil_in_a_new_record(self):
        self.show(name="Reader", new="1")
        self.until(lambda: self.text(".titles h2") == "New Reader")
        self.assertEqual(self.field("limit").get_attribute("value"), "5")
        self.enter("id", "4")
        self.field("limit").clear()
        self.button("Create")
        made = self.until(lambda: self.shop.send("GET", "/readers/4"))
        self.assertEqual((made["limit"], made["isActive"]), (None, True))


class NestedRecords(InspectorCase):
    # Keys of this model have dots and other names than its properties, and no identifier has the key id.
    arguments = (str(ROOT / "Packages/Bookshop/Sources/bookshop/Bookshop.xcdatamodeld"),)

    def test_values_of_nested_objects_are_filtered_and_saved(self):
        for identifier, name in ((1, "Ada"), (2, "Boris")):
            self.shop.send("POST", "/authors", {"author_id": identifier, "name": {"full": name, "native": "x"}})
        self.shop.send("POST", "/books", {"book_id": 7, "title": "On engines", "author_id": 1})
        self.show(name="Author", where={"field": ["name.full"], "is": "hasPrefix", "value": "B"})
        self.until(lambda: [row["name.full"] for row in self.rows()] == ["Boris"])
        self.open("Author", 1)
        self.until(lambda: [link.text for link in self.all("[aria-label='books'] li a")] == ["On engines"])
        self.enter("name.full", "Ada Lovelace")
        self.button("Save", "#drawer")
        self.until(lambda: self.shop.send("GET", "/authors/1")["name"] == {"full": "Ada Lovelace", "native": "x"})
        self.show(name="Book")
        self.until(lambda: self.rows()[0]["author_id"] == "Ada Lovelace")

    def test_only_the_changed_values_of_a_nested_object_are_sent(self):
        # The server rejects a protected value beside it.
        self.shop.send("POST", "/authors", {"author_id": 5, "name": {"full": "Nina", "native": "x"}})
        self.open("Author", 5)
        self.driver.execute_script("""
            window.sent = [];
            const send = window.fetch;
            window.fetch = (path, options) => (options?.body && window.sent.push(options.body), send(path, options));""")
        self.enter("name.full", "Nina Lund")
        self.button("Save", "#drawer")
        self.until(lambda: self.shop.send("GET", "/authors/5")["name"] == {"full": "Nina Lund", "native": "x"})
        self.assertEqual(self.driver.execute_script("return window.sent.map(JSON.parse)"), [{"name": {"full": "Nina Lund"}}])

    def test_the_swift_source_has_the_names_of_properties(self):
        self.show("query", "Author", where={"field": ["name.full"], "is": "==", "value": "Ada"})
        self.until(lambda: '$0.fullName == "Ada"' in self.text("#bench-swift"))


if __name__ == "__main__":
    unittest.main()
