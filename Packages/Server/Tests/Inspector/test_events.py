"""The events of a list: one refresh for a batch, cuts at random points, and servers without events."""

import random
import unittest

from cutting_proxy import CuttingProxy
from inspector_case import InspectorCase
from served_shop import ServedShop

CRIME = {"field": "genre", "is": "==", "value": "Crime"}
CUTS = 20
SEED = 29


class ProxiedShop(ServedShop):
    """A shop whose address is that of a proxy."""

    def start(self, port):
        super().start(port)
        self.proxy = CuttingProxy(self.port)
        address = f"http://127.0.0.1:{self.proxy.port}"
        self.page = self.page.replace(self.address, address)
        self.address = address

    def stop(self):
        self.proxy.stop()
        super().stop()


class Events(InspectorCase):
    @classmethod
    def serve(cls):
        return ProxiedShop(*cls.arguments)

    def setUp(self):
        self.proxy = self.shop.proxy
        self.proxy.refuses = False
        self.proxy.cut_after(None)
        super().setUp()

    def go_live(self, source):
        self.click("[aria-label='Live refresh']")
        self.until_equal(self.source, source)

    def source(self):
        return self.one("[aria-label='Live refresh']").get_attribute("data-source")

    def shown(self):
        return [(int(row["id"]), row["title"]) for row in self.rows()]

    def fresh(self, where=CRIME):
        return [(book["id"], book["title"]) for book in self.shop.list("/books", limit=50, where=where)]

    def test_a_batch_of_events_causes_one_refresh(self):
        self.show(where=CRIME)
        self.go_live("events")
        # The first event shows that the server has none from before the stream.
        self.until_equal(self.shown, self.fresh())
        self.proxy.flowing.clear()
        try:
            for identifier, _ in self.fresh()[:30]:
                self.shop.send("PATCH", f"/books/{identifier}", {"title": "Written in a batch"})
            expected = self.fresh()
            before = self.proxy.count("GET /books?")
        finally:
            self.proxy.flowing.set()
        self.until_equal(self.shown, expected)
        # One refresh, and one more if it is also time for the slow one.
        self.assertLessEqual(self.proxy.count("GET /books?") - before, 2)

    def test_a_list_equals_a_fresh_query_after_each_of_many_cuts(self):
        choices = random.Random(SEED)
        self.show(where=CRIME)
        self.go_live("events")
        first = len(self.proxy.streams)
        cuts = self.proxy.cuts
        for number in range(CUTS):
            self.proxy.cut_after(choices.randrange(200))
            books = self.fresh()
            identifier = choices.choice(books)[0]
            match choices.randrange(4):
                case 0:
                    self.shop.send("POST", "/books", {"title": f"New {number}", "genre": "Crime"})
                case 1:
                    self.shop.send("PATCH", f"/books/{identifier}", {"genre": "Essays"})
                case 2:
                    self.shop.send("DELETE", f"/books/{identifier}")
                case _:
                    self.shop.send("PATCH", f"/books/{identifier}", {"title": f"Changed {number}"})
            self.until_equal(self.shown, self.fresh(), f"seed {SEED}, cut {number}")
        self.assertGreater(self.proxy.cuts - cuts, CUTS // 2)
        self.proxy.cut_after(None)
        self.until_equal(self.source, "events")
        # Each connection continues after the last batch that arrived.
        later = self.proxy.streams[first:]
        self.assertGreater(len(later), CUTS // 2)
        self.assertNotIn(None, later)

    def test_a_server_that_refuses_events_is_polled(self):
        self.proxy.refuses = True
        self.show()
        before = len(self.proxy.streams)
        self.go_live("polling")
        self.until(lambda: len(self.proxy.streams) > before)
        self.shop.send("PATCH", "/books/2", {"title": "Found by polling"})
        self.until(lambda: "Found by polling" in [title for _, title in self.shown()])
        self.assertEqual(self.source(), "polling")
        # A refused stream is not tried again.
        self.assertEqual(len(self.proxy.streams), before + 1)

    def test_a_condition_on_related_records_is_polled(self):
        where = {"any": "reviews", "where": {"field": "reviewer", "is": "==", "value": "Somebody new"}}
        self.show(where=where)
        self.go_live("polling")
        self.shop.send("POST", "/reviews", {"reviewer": "Somebody new", "stars": 4, "book": 5})
        self.until_equal(lambda: [identifier for identifier, _ in self.shown()], [5])
        self.assertEqual(self.source(), "polling")

    def test_another_list_has_other_events(self):
        self.show()
        self.go_live("events")
        self.show(name="Author")
        self.until(lambda: self.proxy.count("GET /authors? HTTP") > 0)
        self.until_equal(self.source, "events")
        self.shop.send("PATCH", "/authors/3", {"name": "Renamed elsewhere"})
        self.until(lambda: "Renamed elsewhere" in [row["name"] for row in self.rows()])
        self.show("schema", None)
        self.until_equal(self.source, "polling")


if __name__ == "__main__":
    unittest.main()
