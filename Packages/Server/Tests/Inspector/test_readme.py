"""The picture of the page in the README of the project."""

import base64
import os
import unittest
from pathlib import Path

from inspector_case import InspectorCase

ROOT = Path(__file__).resolve().parents[4]
PICTURE = "Packages/Server/inspector.webp"
MAXIMUM_BYTES = 100_000
# Texts like the time of a request differ between runs, and letters between versions of a font.
ALLOWED_DIFFERENCE = 0.03


class Readme(InspectorCase):
    def test_the_readme_has_a_picture_of_this_page(self):
        self.resize(1440, 810)
        self.show(where={"field": "genre", "is": "==", "value": "Crime"}, sort=[{"field": "price", "descending": True}])
        self.show(record=self.identifiers()[3], where={"field": "genre", "is": "==", "value": "Crime"},
                  sort=[{"field": "price", "descending": True}])
        self.until(lambda: self.all(".record-foot") and self.all("#drawer .related a") and not self.all("[aria-busy]"))
        self.driver.execute_script("document.activeElement.blur()")
        self.picture("readme-light")
        shown = base64.b64decode(self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "webp", "quality": 82})["data"])
        file = ROOT / PICTURE
        if os.environ.get("INSPECTOR_README"):
            file.write_bytes(shown)
        self.assertIn(f"]({PICTURE})", (ROOT / "README.md").read_text(encoding="utf-8"))
        self.assertLess(file.stat().st_size, MAXIMUM_BYTES)
        self.assertLess(self.difference(file.read_bytes(), shown), ALLOWED_DIFFERENCE,
                        "the page looks different; 'Scripts/check-inspector --picture' makes the picture again")

    def difference(self, *pictures):
        """The part of the pixels that differ visibly; 1 for pictures of different sizes."""
        # A page without the policy of the inspector, which forbids images as data.
        self.driver.get("about:blank")
        addresses = [f"data:image/webp;base64,{base64.b64encode(each).decode()}" for each in pictures]
        return self.driver.execute_async_script("""
            const [addresses, done] = arguments;
            Promise.all(addresses.map(async (address) => {
              const image = new Image();
              image.src = address;
              await image.decode();
              const canvas = new OffscreenCanvas(image.width, image.height);
              const context = canvas.getContext("2d");
              context.drawImage(image, 0, 0);
              return context.getImageData(0, 0, image.width, image.height);
            })).then(([first, second]) => {
              if (first.width !== second.width || first.height !== second.height) return done(1);
              let count = 0;
              for (let index = 0; index < first.data.length; index += 4) {
                const difference = [0, 1, 2].map((part) => Math.abs(first.data[index + part] - second.data[index + part]));
                if (Math.max(...difference) > 48) count += 1;
              }
              done(count / (first.width * first.height));
            }, (error) => done(`${error}`));
            """, addresses)


if __name__ == "__main__":
    unittest.main()
