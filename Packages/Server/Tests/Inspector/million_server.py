"""A server with a million records, computed when they are read: no store has to be filled."""

import http.server
import json
import threading
import urllib.parse
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "Sources/ModelServer/Resources/Inspector"
COUNT = 1_000_000
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
SCHEMA = {"types": [{
    "name": "Number", "path": "/numbers", "identifier": "id", "label": "text", "relations": [],
    "fields": [{"key": "id", "name": "id", "type": "integer", "isRequired": True},
               {"key": "text", "name": "text", "type": "string", "isRequired": True}]}]}


class MillionServer:
    """Serves the page and its data. `sent` is the number of records that it sent."""

    def __init__(self):
        self.sent = 0
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                owner.respond(self)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.page = f"{self.address}/_inspect/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def respond(self, handler):
        url = urllib.parse.urlsplit(handler.path)
        headers = {}
        file = PAGE / (url.path.removeprefix("/_inspect/") or "index.html")
        if url.path == "/numbers":
            query = {name: values[0] for name, values in urllib.parse.parse_qs(url.query).items()}
            first, limit = int(query.get("after", query.get("offset", 0))), int(query["limit"])
            identifiers = range(first + 1, min(first + limit, COUNT) + 1)
            self.sent += len(identifiers)
            if first + limit < COUNT:
                headers["Link"] = f'<?limit={limit}&after={first + limit}>; rel="next"'
            body = [{"id": each, "text": f"number {each}"} for each in identifiers]
        elif url.path.startswith("/_inspect/") and file.suffix in TYPES and file.is_file():
            return self.send(handler, file.read_bytes(), TYPES[file.suffix], {})
        else:
            body = {"/_inspect/schema": SCHEMA, "/_inspect/counts": {"Number": COUNT}}.get(url.path, {})
        self.send(handler, json.dumps(body).encode(), "application/json", headers)

    @staticmethod
    def send(handler, body, kind, headers):
        handler.send_response(200)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)
