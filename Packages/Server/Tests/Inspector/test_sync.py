"""The synchronisation of a store with another server: what waits, rejections, conflicts."""

import os
import unittest

from inspector_case import InspectorCase
from served_shop import TOKEN, ServedShop


class Sync(InspectorCase):
    """A shop that has the records of another one offline."""

    @classmethod
    def serve(cls):
        cls.remote = ServedShop("--sample", "bookshop", "--books", "20")
        cls.addClassCleanup(lambda: cls.remote.process.poll() is None and cls.remote.stop())
        os.environ["MODELKIT_REMOTE_TOKEN"] = TOKEN
        cls.arguments = (*InspectorCase.arguments, "--remote", cls.remote.address)
        return super().serve()

    def setUp(self):
        super().setUp()
        self.until(lambda: len(self.shop.list("/books")) >= 20)

    def entries(self):
        return [each.get_attribute("aria-label") for each in self.all(".entry")]

    def tearDown(self):
        # Each test begins without entries.
        for entry in self.shop.send("GET", "/_inspect/sync")["entries"]:
            self.shop.send("POST", "/_inspect/sync/discard", {"type": entry["type"], "identifier": entry["identifier"]})

    def test_1_an_empty_outbox_says_so(self):
        self.press("y")
        self.until(lambda: "Nothing waits" in self.text(".state-content"))
        self.refreshed(lambda: self.text(".sync-status").startswith("Synchronised"))

    def test_2_a_change_reaches_the_server(self):
        self.shop.send("PATCH", "/books/3", {"title": "Written offline"})
        self.show("sync", None)
        self.refreshed(lambda: "Nothing waits" in self.text(".state-content"))
        self.assertEqual(self.remote.send("GET", "/books/3")["title"], "Written offline")

    def test_3_a_conflict_is_resolved_by_field(self):
        self.remote.send("PATCH", "/books/4", {"title": "Theirs", "genre": "Essays", "price": 5})
        self.shop.send("PATCH", "/books/4", {"title": "Mine", "genre": "Poetry", "published": 1999})
        self.show("sync", None)
        self.refreshed(lambda: "conflict" in self.text(".entry .badge"))
        self.assertEqual(self.entries(), ["Book 4"])
        self.assertEqual([row.text for row in self.all(".conflict tbody th")], ["genre", "title"])
        for scheme in ("light", "dark"):
            for width in (1440, 375):
                self.resize(width, 800, scheme)
                self.picture(f"sync-{scheme}-{width}")
                self.assertEqual(self.violations(), [], f"{scheme}, {width} px")
                self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"), width)
        self.resize(1440, 900)
        self.click("[aria-label='Server for genre']")
        self.button("Resolve")
        self.until(lambda: "The conflict is resolved." in self.notices())
        self.until(lambda: self.remote.send("GET", "/books/4")["title"] == "Mine")
        book = self.remote.send("GET", "/books/4")
        self.assertEqual([book[key] for key in ("genre", "price", "published")], ["Essays", 5, 1999])
        self.refreshed(lambda: "Nothing waits" in self.text(".state-content"))

    def test_4_a_deletion_against_a_change_is_decided(self):
        self.remote.send("PATCH", "/books/6", {"title": "Changed there"})
        self.shop.send("DELETE", "/books/6")
        self.show("sync", None)
        self.refreshed(lambda: "deleted here" in self.text(".entry"))
        self.button("Take the server's record")
        self.until(lambda: "Nothing waits" in self.text(".state-content"))
        self.assertEqual(self.shop.send("GET", "/books/6")["title"], "Changed there")

    def test_5_a_rejected_change_is_retried(self):
        author = self.remote.send("POST", "/authors", {"name": "Soon Gone"})["id"]
        self.until(lambda: self.shop.send("POST", "/_inspect/sync/now", {}) and self.shop.send("GET", f"/authors/{author}"))
        # The other server rejects a reference to a record that it does not have.
        self.remote.send("DELETE", f"/authors/{author}")
        self.shop.send("POST", "/books", {"title": "Without author", "author": author})
        self.show("sync", None)
        self.refreshed(lambda: self.text(".entry .badge") == "rejected")
        self.assertIn("author", self.text(".entry .problems"))
        self.picture("rejected-light")
        self.button("Retry")
        self.until(lambda: "The change is sent again." in self.notices())
        # The retry also reads the deletion of the author, which removes the reference.
        self.refreshed(lambda: "Nothing waits" in self.text(".state-content"))
        self.assertIn("Without author", [book["title"] for book in self.remote.list("/books")])

    def test_6_changes_wait_for_a_server_that_is_away_and_are_discarded(self):
        self.remote.stop()
        self.shop.send("PATCH", "/books/8", {"title": "Waits"})
        self.show("sync", None)
        self.refreshed(lambda: self.entries() == ["Book 8"])
        self.button("Synchronise now")
        self.refreshed(lambda: "can't be reached" in self.text(".sync-status"))
        self.assertIn("Waits", self.text(".entry"))
        self.picture("offline-light")
        self.button("Discard", ".entry")
        self.button("Discard", "dialog")
        self.until(lambda: "Nothing waits" in self.text(".state-content"))
        self.assertNotEqual(self.shop.send("GET", "/books/8")["title"], "Waits")


if __name__ == "__main__":
    unittest.main()
