"""A server, and requests to it beside the browser."""

import json
import os
import subprocess
import urllib.error
import urllib.parse
import urllib.request

TOKEN = "inspector-tests-token"


class ServedShop:
    """`modelkit serve` with some arguments, on a free port."""

    def __init__(self, *arguments):
        self.arguments = arguments
        self.start(0)

    def start(self, port):
        command = [os.environ["MODELKIT"], "serve", "--port", str(port), "--json", *self.arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "MODELKIT_TOKEN": TOKEN})
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server ended with the status {self.process.wait()}")
        announced = json.loads(line)
        self.address, self.page = announced["address"], announced["page"]
        self.port = urllib.parse.urlsplit(self.address).port

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stdout.close()

    def restart(self):
        """Starts the server again on the same port. Its data in memory are those of the sample again."""
        self.start(self.port)

    def send(self, method, path, body=None):
        """Sends a request as another client than the browser. Returns the JSON of the response."""
        request = urllib.request.Request(
            self.address + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.loads(response.read() or "null")
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 404:
                    return None
                raise AssertionError(f"{method} {path}: {error.code} {error.read()!r}") from error

    def list(self, path, **parameters):
        """All records of a list, over all pages that the parameters allow."""
        items = {name: value if isinstance(value, (int, str)) else json.dumps(value) for name, value in parameters.items()}
        return self.send("GET", f"{path}?{urllib.parse.urlencode({'limit': 1000, **items}, quote_via=urllib.parse.quote)}")
