"""Receives Keyward's webhooks with Python's standard library: each is verified by its signature (Standard Webhooks), and
taken once.

    WEBHOOK_SECRET=whsec_… python3 examples/webhooks.py
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import time

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

# An older one may be one that somebody has recorded, and sends again.
TOLERANCE_SECONDS = 300

# The ids of events that were taken: yours belong into a database, in the transaction of what they change.
taken = set()


def is_genuine(headers, body):
    """Whether a request was sent by who knows the secret, and lately."""
    message, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    digest = hmac.new(SECRET, f"{message}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    # While a secret is replaced there are two signatures, with a space between them.
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        genuine = is_genuine(self.headers, body)
        if genuine and self.headers["webhook-id"] not in taken:
            event = json.loads(body)
            data = event["data"]
            print(f"{event['type']}: user {data['user_id']}, key {data.get('key_id', 'none')}", flush=True)
            taken.add(self.headers["webhook-id"])
        self.send_response(204 if genuine else 400)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
print("listening", flush=True)
server.serve_forever()
