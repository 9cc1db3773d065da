"""Texts that break pages: markup, long words, other directions."""

import unittest

from inspector_case import InspectorCase

MARKUP = "<img src=x onerror=\"document.title='injected'\"><script>document.title='injected'</script>"
ARABIC = "كتاب البحر والليل"


class Texts(InspectorCase):
    def assert_fits(self):
        widths = self.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        self.assertLessEqual(widths[0], widths[1], "the page scrolls sideways")

    def test_markup_in_values_is_text(self):
        author = self.shop.send("POST", "/authors", {"name": MARKUP[:80], "country": MARKUP})["id"]
        book = self.shop.send("POST", "/books", {"title": MARKUP, "genre": MARKUP, "author": author})["id"]
        self.shop.send("POST", "/reviews", {"stars": 1, "reviewer": MARKUP, "text": MARKUP, "book": book})
        self.show(where={"field": "id", "is": "==", "value": book})
        self.until(lambda: self.rows()[0]["title"] == MARKUP and self.rows()[0]["author"] == MARKUP[:80])
        self.open("Book", book)
        self.until(lambda: self.text("[aria-label='reviews'] li a") == MARKUP)
        self.click("#drawer [aria-label='Delete']")
        self.until(lambda: "deleted with it" in self.text("dialog"))
        self.button("Cancel", "dialog")
        self.show("query", "Book", where={"field": "title", "is": "==", "value": MARKUP})
        self.until(lambda: self.rows())
        self.assertFalse(self.all("img, main script, aside script"))
        self.assertNotIn("injected", self.driver.title)
        self.assertEqual(self.fails_to_load(), [])

    def test_names_of_300_characters_fit(self):
        name = "Donaudampfschifffahrtsgesellschaft" * 9
        book = self.shop.send("POST", "/books", {"title": name[:120], "genre": name[:300]})["id"]
        review = self.shop.send("POST", "/reviews", {"stars": 1, "reviewer": name[:300], "book": book})["id"]
        for width in (1440, 375):
            self.resize(width, 800)
            self.show(name="Review", where={"field": "id", "is": "==", "value": review})
            self.until(lambda: self.rows()[0]["reviewer"] == name[:300])
            self.assert_fits()
            self.open("Review", review)
            self.assert_fits()
            self.assertEqual(self.field("reviewer").get_attribute("value"), name[:300])
        self.picture("long-375")

    def test_text_from_right_to_left_keeps_its_order(self):
        book = self.shop.send("POST", "/books", {"title": ARABIC, "genre": f"{ARABIC} 1984"})["id"]
        self.open("Book", book)
        self.assertEqual(self.driver.execute_script("return getComputedStyle(document.querySelector('.titles h2')).direction"), "rtl")
        self.assertEqual(self.driver.execute_script("return getComputedStyle(arguments[0]).direction", self.field("title")), "rtl")
        self.show(where={"field": "id", "is": "==", "value": book})
        self.until(lambda: self.rows()[0]["genre"] == f"{ARABIC} 1984")
        self.assertTrue(self.all("tbody td bdi"))


if __name__ == "__main__":
    unittest.main()
