"""What the tests of the inspector share: one browser, a server for each class, and the parts of the page."""

import atexit
import functools
import json
import os
import time
import unittest
import urllib.parse
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from served_shop import ServedShop

PICTURES = Path(os.environ.get("INSPECTOR_PICTURES", "/tmp/inspector-pictures"))
SECONDS = 20
_browser = None


def browser():
    """The browser of all tests, which ends with the process."""
    global _browser
    if _browser is None:
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en-US"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        _browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(os.environ.get("CHROMEDRIVER")))
        atexit.register(_browser.quit)
    return _browser


def with_picture(test):
    """A test that keeps a screenshot of its failure."""
    @functools.wraps(test)
    def run(self):
        try:
            test(self)
        except BaseException:
            self.picture(f"failed-{test.__name__}")
            raise

    return run


class InspectorCase(unittest.TestCase):
    """A class of tests with a server of its own."""

    arguments = ("--sample", "bookshop")

    def __init_subclass__(cls):
        for name, test in list(vars(cls).items()):
            if name.startswith("test_"):
                setattr(cls, name, with_picture(test))

    @classmethod
    def setUpClass(cls):
        cls.shop = cls.serve()
        cls.addClassCleanup(cls.shop.stop)

    @classmethod
    def serve(cls):
        return ServedShop(*cls.arguments)

    def setUp(self):
        self.driver = browser()
        self.resize(1440, 900)
        # Another document first, so that the page really starts again.
        self.driver.get("about:blank")
        self.driver.get(f"{self.shop.address}/_inspect/icon.svg")
        self.driver.execute_script("localStorage.clear(); sessionStorage.clear(); localStorage.setItem('inspector.live', 'off')")
        self.driver.get_log("browser")
        self.driver.get(self.shop.page)
        self.until(lambda: self.all("#side a"), "the types are not shown")

    # MARK: The window

    def resize(self, width, height, scheme="light"):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [
                {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def picture(self, name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(PICTURES / f"{name}.png"))

    # MARK: Waiting

    def until(self, condition, message="", seconds=SECONDS):
        """Waits for a condition, and returns its value."""
        end = time.monotonic() + seconds
        error = None
        while time.monotonic() < end:
            try:
                value = condition()
                if value:
                    return value
            except (StaleElementReferenceException, WebDriverException, IndexError, KeyError) as caught:
                error = caught
            time.sleep(0.05)
        raise self.failureException(f"{message or 'the condition does not hold'} after {seconds} s ({error or 'no error'})")

    def until_equal(self, read, expected, message=""):
        seen = []

        def compare():
            seen[:] = [read()]
            return seen[0] == expected

        try:
            self.until(compare)
        except self.failureException:
            self.assertEqual(seen[0] if seen else None, expected, message)

    def refreshed(self, condition):
        """Refreshes the page until a condition holds."""
        self.until(lambda: self.click("[aria-label='Refresh']") or condition())

    # MARK: The page

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.until(lambda: self.all(selector), f"there is no {selector}")[0]

    def click(self, selector):
        self.until(lambda: self.one(selector).click() or True, f"{selector} can't be clicked")

    def button(self, text, inside="body"):
        """Clicks the button with a text."""
        def press():
            found = [each for each in self.all(f"{inside} button") if each.text == text and each.is_displayed()]
            return found and (found[0].click() or True)

        self.until(press, f"there is no button {text}")

    def text(self, selector):
        return self.one(selector).text

    def show(self, kind="types", name="Book", record=None, **parameters):
        """Goes to an address of the page."""
        parts = "/".join(urllib.parse.quote(str(part), safe="") for part in (kind, name, record) if part is not None)
        items = {key: value if isinstance(value, str) else json.dumps(value) for key, value in parameters.items()}
        query = f"?{urllib.parse.urlencode(items, quote_via=urllib.parse.quote)}" if items else ""
        self.driver.execute_script("location.hash = arguments[0]", f"#/{parts}{query}")
        if kind == "types" and record is None and "new" not in parameters:
            self.until(lambda: self.text(".list h1") == name and not self.all(".list[aria-busy]") and (self.all("tbody tr") or self.all(".empty")))

    def rows(self):
        """The rows of the table, as texts by column."""
        return self.driver.execute_script("""
            const keys = [...document.querySelectorAll("main thead .key")].map((each) => each.textContent);
            return [...document.querySelectorAll("main tbody tr")].map((row) =>
              Object.fromEntries([...row.children].map((cell, index) => [keys[index], cell.textContent])));
            """)

    def identifiers(self):
        return [int(row["id"]) for row in self.rows()]

    def field(self, key):
        """The editor of a field in the record."""
        return self.one(f"#drawer [data-key='{key}']")

    def enter(self, key, value):
        control = self.field(key)
        control.clear()
        control.send_keys(value)

    def open(self, name, identifier):
        self.show(name=name, record=identifier)
        self.until(lambda: self.text(".titles p") == f"{name} {identifier}" and self.all(".record-foot"))

    def press(self, *keys):
        """Presses keys where the focus is."""
        # A form that is shown again gives the focus to a new control.
        self.until(lambda: self.driver.switch_to.active_element.send_keys(*keys) or True)

    def notices(self):
        return [each.text for each in self.all("#notices .notice span")]

    def violations(self):
        """The violations that axe-core finds in the visible page."""
        if not self.driver.execute_script("return window.axe !== undefined"):
            # Not a script of the page: its policy would not allow it.
            self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": Path(os.environ["AXE"]).read_text(encoding="utf-8")})
        found = self.driver.execute_async_script("""
            const done = arguments[0];
            axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then((result) =>
              done(result.violations.map((each) => `${each.id}: ${each.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(" | ")}`)));
            """)
        return found

    def fails_to_load(self):
        """The errors of the console, except for statuses that a test causes."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]]


__all__ = ["By", "InspectorCase", "Keys", "browser"]
