"""Keyboard, screen readers, sizes, colour schemes, and the policy of the page."""

import unittest

from inspector_case import InspectorCase, Keys

# Each view with the part of the page that it shows.
VIEWS = {
    "list": (("types", "Book"), {}, "tbody tr"),
    "filter": (("types", "Book"), {"where": {"and": [{"field": "title", "is": "contains", "value": "a"}, {"field": "author.id", "is": "!=", "value": 1}]}}, ".condition"),
    "record": (("types", "Book", 1), {}, ".record-foot"),
    "new": (("types", "Review"), {"new": "1"}, ".record-foot"),
    "empty": (("types", "Book"), {"search": "no such book"}, ".empty"),
    "schema": (("schema", None), {}, ".entity"),
    "query": (("query", "Book"), {"where": {"field": "price", "is": ">", "value": 40}}, ".measures"),
}


class Access(InspectorCase):
    def present(self, view):
        parts, parameters, selector = VIEWS[view]
        self.show(*parts, **parameters)
        self.until(lambda: self.all(selector) and not self.all("[aria-busy]"))

    def test_no_view_has_a_problem_for_screen_readers_or_too_little_contrast(self):
        problems = []
        for scheme in ("light", "dark"):
            for width in (1440, 375):
                self.resize(width, 800, scheme)
                for view in VIEWS:
                    self.present(view)
                    self.picture(f"{view}-{scheme}-{width}")
                    problems += [f"{view}, {scheme}, {width} px: {each}" for each in self.violations()]
        self.assertEqual(problems, [])

    def test_dialogs_have_no_problem_for_screen_readers(self):
        self.show()
        self.press("?")
        self.one("dialog")
        self.assertEqual(self.violations(), [])
        self.picture("help-light")
        self.press(Keys.ESCAPE)
        self.open("Book", 1)
        self.click("#drawer [aria-label='Delete']")
        self.one("dialog")
        self.assertEqual(self.violations(), [])

    def test_nothing_is_cut_off_at_375_pixels(self):
        self.resize(375, 740)
        for view in VIEWS:
            self.present(view)
            outside = self.driver.execute_script("""
                return [...document.querySelectorAll("button, input, select, textarea, h1, h2, summary")].filter((each) => {
                  const box = each.getBoundingClientRect();
                  if (box.width === 0 || each.closest(".scroller, .scroller-x, .picture, #side, .visually-hidden")) return false;
                  return box.left < -0.5 || box.right > innerWidth + 0.5;
                }).map((each) => each.outerHTML.slice(0, 120));""")
            self.assertEqual(outside, [], view)
            self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"), 375, view)
        self.show()
        self.click("#menu")
        self.until(lambda: self.all("#side a")[0].is_displayed())
        self.all("#side a")[0].click()
        self.until(lambda: self.text(".list h1") == "Author")
        self.assertEqual(self.one("#menu").get_attribute("aria-expanded"), "false")

    def test_the_focus_stays_in_a_record_that_covers_the_page(self):
        self.resize(375, 740)
        self.present("record")
        self.until(lambda: self.driver.switch_to.active_element.tag_name == "h2")
        for _ in range(40):
            self.press(Keys.TAB)
            self.assertFalse(self.driver.execute_script("return document.activeElement.closest('.top, #side, main') !== null"))
        self.press(Keys.ESCAPE)
        self.click("#menu")

    def test_a_record_is_found_changed_and_closed_with_keys_only(self):
        self.show()
        self.driver.execute_script("document.activeElement.blur()")
        self.press("/")
        self.press("the broken harbour")
        self.until(lambda: all("The Broken Harbour" == row["title"] for row in self.rows()))
        identifier = self.identifiers()[0]
        self.press(Keys.ARROW_DOWN)
        self.until(lambda: self.driver.switch_to.active_element.tag_name == "td")
        self.press(Keys.ENTER)
        self.until(lambda: self.driver.switch_to.active_element.tag_name == "h2")
        for _ in range(12):
            self.press(Keys.TAB)
            if self.driver.switch_to.active_element.get_attribute("data-key") == "genre":
                break
        self.press(Keys.CONTROL, "a")
        self.press("Keys")
        self.press(Keys.CONTROL, Keys.ENTER)
        self.until(lambda: self.shop.send("GET", f"/books/{identifier}")["genre"] == "Keys")
        self.press(Keys.ESCAPE)
        self.until(lambda: self.driver.switch_to.active_element.tag_name == "td")
        self.press("t")
        self.press(Keys.ARROW_UP, Keys.ENTER)
        self.until(lambda: self.text(".list h1") == "Author")

    def test_the_focus_is_visible_wherever_tab_goes(self):
        self.present("record")
        self.driver.execute_script("document.activeElement.blur()")
        seen = set()
        for _ in range(70):
            self.press(Keys.TAB)
            current = self.driver.switch_to.active_element
            style = self.driver.execute_script(
                "const style = getComputedStyle(document.activeElement); return [style.outlineStyle, parseFloat(style.outlineWidth), document.activeElement.tagName]")
            # After the last control the focus begins again at the first one.
            if style[2] in ("BODY", "HTML"):
                continue
            self.assertTrue(style[0] != "none" and style[1] >= 1, current.get_attribute("outerHTML")[:200])
            seen.add(current.id)
        self.assertGreater(len(seen), 40)

    def test_arrows_move_the_focus_between_cells(self):
        self.show()
        self.one("td[tabindex='0']").send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
        self.assertEqual(self.driver.switch_to.active_element.text, self.rows()[2]["title"])
        self.press(Keys.END)
        self.assertEqual(self.driver.switch_to.active_element.text, self.rows()[2]["author"])
        self.press(Keys.CONTROL, Keys.END)
        self.assertEqual(self.driver.switch_to.active_element.text, self.rows()[49]["author"])
        self.assertEqual(len(self.all("td[tabindex='0']")), 1)

    def test_shortcuts_are_listed_and_can_be_switched_off(self):
        self.show()
        self.press("?")
        self.until(lambda: "Add a condition to the filter" in self.text("dialog"))
        self.click("dialog input[type='checkbox']")
        self.press(Keys.ESCAPE)
        self.until(lambda: not self.all("dialog"))
        self.press("s")
        self.assertTrue(self.all(".list"))
        self.assertFalse(self.all(".schema"))

    def test_the_page_loads_from_its_server_only_and_keeps_its_policy(self):
        for view in VIEWS:
            self.present(view)
        hosts = self.driver.execute_script("return [...new Set(performance.getEntriesByType('resource').map((each) => new URL(each.name).origin))]")
        self.assertEqual(hosts, [self.shop.address])
        self.assertEqual(self.fails_to_load(), [])
        self.assertEqual(self.driver.execute_script("return document.querySelectorAll('[style]:not(.popover), style, script:not([src])').length"), 0)


if __name__ == "__main__":
    unittest.main()
