"""An API that checks the assertion of each request itself, with PyJWT. Its documents need a permission.

    KEYWARD_URL=… AUDIENCE=… PORT=8080 python3 examples/check-assertion.py
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt

KEYWARD_URL = os.environ.get("KEYWARD_URL", "http://127.0.0.1:4000")
AUDIENCE = os.environ.get("AUDIENCE", "api")

# Keyward's public keys. PyJWT keeps them for five minutes, and reads them again if a `kid` is new.
KEYS = jwt.PyJWKClient(f"{KEYWARD_URL}/.well-known/jwks.json")


def check_assertion(assertion):
    """Returns what an assertion says. If it is not valid, this raises an error."""
    if jwt.get_unverified_header(assertion).get("typ") != "at+jwt":
        raise jwt.InvalidTokenError("Not an access token")
    return jwt.decode(
        assertion,
        KEYS.get_signing_key_from_jwt(assertion).key,
        algorithms=["ES256"],
        issuer=KEYWARD_URL,
        audience=AUDIENCE,
        options={"require": ["exp"]},
        # In seconds. Without it, an assertion is refused if this clock is behind Keyward's.
        leeway=5,
    )


def has_permission(scope, permission):
    """Whether a scope has a permission, by its name or by a wildcard."""
    return any(
        held in ("*", permission) or (held.endswith(".*") and permission.startswith(held[:-1]))
        for held in scope.split()
    )


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            assertion = check_assertion(self.headers.get("X-Keyward-Assertion", ""))
        except jwt.PyJWTError as error:
            print(repr(error), file=sys.stderr)
            return self.send(401, {"detail": "Unauthorized"})
        if self.path != "/documents" or has_permission(assertion["scope"], "documents.read"):
            return self.send(200, {"user_id": assertion["keyward"]["user_id"]})
        return self.send(403, {"detail": "Forbidden"})

    def send(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode() + b"\n")

    def log_message(self, *_arguments):
        """Logs no requests."""


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Server).serve_forever()
