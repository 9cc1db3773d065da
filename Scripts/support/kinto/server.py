"""Kinto with its records in memory, and one collection that everyone may write, for the tests of SyncStore."""

import http.client
import json
import socketserver
import sys
import threading
import warnings
import wsgiref.simple_server

warnings.filterwarnings("ignore")
import kinto

PATHS = ["/v1/buckets/tests", "/v1/buckets/tests/collections/kinto_plays"]


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class Handler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


application = kinto.main({}, **{
    "kinto.storage_backend": "kinto.core.storage.memory", "kinto.permission_backend": "kinto.core.permission.memory",
    "kinto.cache_backend": "kinto.core.cache.memory",
    "kinto.userid_hmac_secret": "for tests on the loopback interface only",
    "kinto.bucket_create_principals": "system.Everyone", "kinto.bucket_write_principals": "system.Everyone",
    # So that tests read several pages.
    "kinto.paginate_by": "4"})
server = wsgiref.simple_server.make_server("127.0.0.1", 0, application, Server, Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for path in PATHS:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port)
    connection.request("PUT", path, json.dumps({"data": {}}), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    if answer.status != 201:
        sys.exit(f"{path} was not created: {answer.status}")
    connection.close()
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
while sys.stdin.buffer.read1(4096):
    pass
