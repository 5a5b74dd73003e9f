"""A provider's server that asks Keyward about the API key of each request, with Python's standard library. Its
documents need a permission.

    KEYWARD_SERVER_SECRET=… PORT=8080 python3 examples/verify-keys.py
"""

import http.client
import json
import os
import re
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

URL = os.environ.get("KEYWARD_URL", "http://127.0.0.1:4000")
SERVER_SECRET = os.environ.get("KEYWARD_SERVER_SECRET") or sys.exit(
    "KEYWARD_SERVER_SECRET is missing: of a server with the scope keys.verify"
)

# The status for each reason. All other reasons, also new ones, get 403.
STATUSES = {
    **dict.fromkeys(["not_found", "inactive", "expired", "rotated", "paused"], 401),
    **dict.fromkeys(["rate_limited", "account_rate_limited", "quota_exceeded", "account_quota_exceeded"], 429),
}


def verify(request, permissions):
    """Asks whether a request may pass. If Keyward does not say so, this raises, and the request may not pass."""
    given = re.fullmatch(r"Bearer +(.*)", request.headers.get("Authorization", ""), re.IGNORECASE)
    # No key is longer than this.
    key = given[1][:1000] if given else ""
    question = {"key": key, "permissions": permissions, "address": request.client_address[0]}
    headers = {"Authorization": f"Bearer {SERVER_SECRET}", "Content-Type": "application/json"}
    asked = urllib.request.Request(f"{URL}/api/v1/keys/verify", json.dumps(question).encode(), headers)
    with urllib.request.urlopen(asked, timeout=5) as answer:
        return json.load(answer)


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        permissions = ["documents.read"] if self.path == "/documents" else []
        try:
            verification = verify(self, permissions)
        except (OSError, ValueError, http.client.HTTPException) as error:
            print(error, file=sys.stderr)
            return self.send(503, {"reason": "unknown"})
        if verification["valid"]:
            return self.send(200, {"user_id": verification["user_id"]})
        return self.send(STATUSES.get(verification["reason"], 403), {"reason": verification["reason"]})

    def send(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode() + b"\n")

    def log_message(self, *_arguments):
        """Logs no requests."""


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Server).serve_forever()
