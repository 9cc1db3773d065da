"""The health of a store in files: figures, a check with its progress, damage, and a store that can't be read."""

import shutil
import tempfile
import unittest
from pathlib import Path

from inspector_case import InspectorCase, Keys


class Health(InspectorCase):
    @classmethod
    def serve(cls):
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.store = Path(folder) / "shop.store"
        cls.arguments = (*InspectorCase.arguments, "--store", str(cls.store))
        return super().serve()

    def figures(self):
        return self.driver.execute_script("""
            return Object.fromEntries([...document.querySelectorAll(".figures dt")]
              .map((each) => [each.textContent, each.nextElementSibling.textContent]))""")

    def test_1_the_figures_are_those_of_the_folder(self):
        self.press("h")
        self.until(lambda: self.figures())
        figures = self.figures()
        self.assertEqual(Path(figures["Folder"]), self.store)
        self.assertEqual(figures["Opened for"], "reading and writing")
        self.assertRegex(figures["Journal"], r"^[\d.]+ (kB|MB)$")
        self.assertEqual(int(figures["Files of the journal"]), len(list(self.store.glob("groups/@default/*.journal"))))
        self.assertIn("Last checkpoint", figures)
        self.assertRegex(figures["Size on disk"], r"^[\d.]+ (kB|MB)$")

    def test_2_the_files_are_checked(self):
        self.show("health", None)
        self.until(lambda: "not checked" in self.text(".check-result"))
        self.button("Check the files")
        self.until(lambda: "Nothing is damaged" in self.text(".check-result"))
        self.assertFalse(self.one("progress").is_displayed())
        # The result stays for others, and for a page that is opened later.
        self.driver.refresh()
        self.until(lambda: "Nothing is damaged" in self.text(".check-result"))

    def test_3_no_size_or_scheme_has_a_problem(self):
        for scheme in ("light", "dark"):
            for width in (1440, 375):
                self.resize(width, 800, scheme)
                self.show("health", None)
                self.until(lambda: self.figures())
                self.picture(f"health-{scheme}-{width}")
                self.assertEqual(self.violations(), [], f"{scheme}, {width} px")
                self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"), width)
                self.show()

    def test_4_the_check_needs_no_mouse(self):
        self.press("h")
        self.until(lambda: self.figures())
        self.driver.execute_script("document.querySelector('.card .primary').focus()")
        self.press(Keys.ENTER)
        self.until(lambda: "Nothing is damaged" in self.text(".check-result"))
        self.until(lambda: self.driver.switch_to.active_element.text == "Check the files")

    def test_5_damage_is_shown_with_the_remedy(self):
        journal = sorted(self.store.glob("groups/@default/*.journal"))[0]
        content = bytearray(journal.read_bytes())
        position = content.rindex(b"genre")
        content[position] ^= 1
        with journal.open("r+b") as file:
            file.seek(position)
            file.write(content[position:position + 1])
        self.show("health", None)
        self.button("Check the files")
        self.until(lambda: "damaged" in self.text(".check-result") and "modelkit repair" in self.text(".check-result"))
        self.assertEqual(len(self.all(".problems li")), 1)
        self.assertIn(journal.name, self.text(".problems li"))
        self.picture("damage-light")

    def test_6_a_store_without_answer_has_a_message(self):
        self.show("health", None)
        self.until(lambda: self.figures())
        self.driver.execute_script("""
            const original = window.fetch;
            window.fetch = (path, ...rest) => String(path) === "health" && !window.answers
              ? Promise.resolve(new Response('{"detail": "The store has no answer."}', {status: 500}))
              : original(path, ...rest);""")
        self.click("[aria-label='Refresh']")
        self.until(lambda: "The store has no answer." in self.text("main .empty"))
        self.driver.execute_script("window.answers = true")
        self.button("Retry")
        self.until(lambda: self.figures())


class WithoutFiles(InspectorCase):
    def test_a_store_in_memory_has_no_health(self):
        self.assertEqual([each.text for each in self.all("#sections a")], ["Records", "Schema", "Query"])
        self.assertIsNone(self.shop.send("GET", "/_inspect/health"))


if __name__ == "__main__":
    unittest.main()
