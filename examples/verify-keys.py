"""A provider's server that asks Keyward about the API key of each request, as an application of WSGI. Its documents need
a permission.

    KEYWARD_SERVER_SECRET=… PORT=8080 python3 examples/verify-keys.py
"""

import json
import os
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from keyward import Keyward, Needs, wsgi

keyward = Keyward(os.environ.get("KEYWARD_URL", "http://127.0.0.1:4000"), os.environ["KEYWARD_SERVER_SECRET"])


def needs(method, path):
    """What a request needs: at least a key."""
    return Needs(["documents.read"]) if path == "/documents" else Needs()


def api(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"user_id": environ["keyward"].user_id}).encode() + b"\n"]


class Server(ThreadingMixIn, WSGIServer):
    """Serves many requests at once."""

    daemon_threads = True


make_server("127.0.0.1", int(os.environ.get("PORT", "8080")), wsgi(api, keyward, needs), Server).serve_forever()
