"""An API as an application of WSGI, with `wsgiref`."""

import json
import os
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from keyward import PUBLIC, Keyward, Needs, wsgi

keyward = Keyward(
    os.environ["KEYWARD_URL"],
    os.environ["KEYWARD_CREDENTIAL"],
    timeout=int(os.environ.get("KEYWARD_TIMEOUT_MS", "5000")) / 1000,
)

ROUTES = {("GET", "/me"), ("GET", "/documents"), ("POST", "/exports")}


def needs(method, path):
    if path == "/health":
        return PUBLIC
    if path.startswith("/documents"):
        return Needs(["documents.read"])
    return Needs(cost=5) if path == "/exports" else Needs()


def api(environ, start_response):
    caller, route = environ["keyward"], (environ["REQUEST_METHOD"], environ["PATH_INFO"])
    status, answer = "404 Not Found", {}
    if route == ("GET", "/health"):
        status, answer = "200 OK", {"ok": True}
    elif route in ROUTES:
        status = "200 OK"
        answer = {"user_id": caller.user_id, "key_id": caller.key_id, "permissions": caller.permissions}
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps(answer).encode()]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


make_server("127.0.0.1", int(os.environ["PORT"]), wsgi(api, keyward, needs), Server).serve_forever()
