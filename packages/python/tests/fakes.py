"""Servers for the tests: real sockets and threads, with the faults that a test asks for."""

import asyncio
import contextlib
import json
import re
import socket
import struct
import threading
import time

VALID = {"valid": True, "reason": None, "key_id": 5, "user_id": 7}


def answer(body=VALID, status="200 OK", headers=""):
    """Makes an answer of HTTP."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(data)}\r\n{headers}\r\n".encode() + data


def reset(connection):
    """Closes a connection with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def drip(data, pause=0.02):
    """Makes a behaviour that sends an answer byte by byte."""

    def behave(connection, _request):
        for byte in data:
            connection.sendall(bytes([byte]))
            time.sleep(pause)

    return behave


class Server:
    """A server whose behaviour is the bytes of an answer, or a function of the connection and the request.

    It notes requests (head and body) and counts connections.
    """

    def __init__(self, behaviour=None, host="127.0.0.1", port=0, context=None):
        self.behaviour = behaviour if behaviour is not None else answer()
        self.requests = []
        self.connections = []
        self.accepted = 0
        self.open = 0
        self.most_open = 0
        self._lock = threading.Lock()
        self._context = context
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.socket(family)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((host, port))
        self._listener.listen(256)
        self.port = self._listener.getsockname()[1]
        scheme, shown = "https" if context else "http", f"[{host}]" if ":" in host else host
        self.url = f"{scheme}://{shown}:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Stops listening and closes all connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop()

    def drop(self):
        """Closes all connections."""
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @property
    def questions(self):
        return [json.loads(body) for _, body in self.requests]

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection = self._listener.accept()[0]
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with self._lock:
            self.accepted += 1
            self.open += 1
            self.most_open = max(self.most_open, self.open)
        try:
            if self._context:
                connection = self._context.wrap_socket(connection, server_side=True)
            self.connections.append(connection)
            with connection, contextlib.suppress(OSError):
                while request := self._read(connection):
                    self.requests.append(request)
                    if isinstance(self.behaviour, bytes):
                        connection.sendall(self.behaviour)
                    elif self.behaviour(connection, request) == "close":
                        return
        except OSError:
            pass
        finally:
            with self._lock:
                self.open -= 1

    def _read(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(65_536)
            if not part:
                return None
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        while len(body) < length:
            body += connection.recv(65_536)
        return head.decode(), body


def sync(keyward, name, *arguments):
    """Calls a method in this thread."""
    return getattr(keyward, name)(*arguments)


def on_loop(keyward, name, *arguments):
    """Calls the asynchronous twin of a method on an event loop of its own."""
    return asyncio.run(getattr(keyward, f"{name}_async")(*arguments))


BOTH = (sync, on_loop)
