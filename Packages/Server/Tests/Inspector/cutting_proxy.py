"""A proxy of a server, which cuts, holds or refuses streams of events."""

import re
import socket
import threading

REFUSAL = b"HTTP/1.1 406 Not Acceptable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class CuttingProxy:
    """Forwards connections to a port. `requests` has the first lines of all requests, `streams` the last event of each
    request for events."""

    def __init__(self, port):
        self.target = port
        self.refuses = False
        self.requests = []
        self.streams = []
        self.cuts = 0
        # The number of bytes of events that a stream may still send; None for any number.
        self.rest = None
        self.lock = threading.Lock()
        self.flowing = threading.Event()
        self.flowing.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def stop(self):
        self.flowing.set()
        self.listener.close()

    def count(self, start):
        """The number of requests whose first line starts with a text."""
        return sum(line.startswith(start) for line in list(self.requests))

    def cut_after(self, count):
        """Ends the stream after some more bytes."""
        with self.lock:
            self.rest = count

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.forward, args=(client,), daemon=True).start()

    def forward(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            return client.close()
        is_stream = threading.Event()
        threading.Thread(target=self.respond, args=(server, client, is_stream), daemon=True).start()
        try:
            while data := client.recv(65_536):
                if re.match(rb"[A-Z]+ /\S* HTTP/1", data):
                    self.requests.append(data.split(b"\r\n")[0].decode())
                if re.search(rb"^accept: text/event-stream\r$", data, re.I | re.M):
                    last = re.search(rb"^last-event-id: (.*)\r$", data, re.I | re.M)
                    self.streams.append(last and last[1].decode())
                    is_stream.set()
                    if self.refuses:
                        client.sendall(REFUSAL)
                        break
                server.sendall(data)
        except OSError:
            pass
        self.close(client, server)

    def respond(self, server, client, is_stream):
        # The head always arrives: a response without it is no stream.
        head = b""
        try:
            while data := server.recv(65_536):
                if is_stream.is_set() and b"\r\n\r\n" not in head:
                    head += data
                    start, separator, data = head.partition(b"\r\n\r\n")
                    if not separator:
                        continue
                    client.sendall(start + separator)
                if is_stream.is_set():
                    self.flowing.wait()
                    with self.lock:
                        is_cut = self.rest is not None and self.rest < len(data)
                        if is_cut:
                            data, self.rest = data[:self.rest], None
                            self.cuts += 1
                        elif self.rest is not None:
                            self.rest -= len(data)
                    client.sendall(data)
                    if is_cut:
                        break
                else:
                    client.sendall(data)
        except OSError:
            pass
        self.close(client, server)

    @staticmethod
    def close(*sockets):
        for each in sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()
