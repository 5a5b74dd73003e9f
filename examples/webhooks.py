"""Receives Keyward's webhooks with Python's standard library. It verifies the signature of each message (Standard
Webhooks), and handles each message once.

    WEBHOOK_SECRET=whsec_… python3 examples/webhooks.py
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import re
import time

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

# An older message may be a recorded one that somebody sends again.
TOLERANCE_SECONDS = 300

# No message of Keyward's is longer.
LONGEST_BODY = 100_000

# The ids of the messages that were handled. In your server, store them in the database, in the same transaction as the
# change that the message causes.
handled = set()


def is_genuine(headers, body):
    """Whether the sender of a request knows the secret and has signed the request in the last minutes."""
    message, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    # Only ASCII digits, and not too many: `int` refuses others, such as "²", with an error.
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    digest = hmac.new(SECRET, f"{message}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    # While a secret is replaced, there are two signatures with a space between them.
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,6}", length) or int(length) > LONGEST_BODY:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(int(length))
        genuine = is_genuine(self.headers, body)
        if genuine and self.headers["webhook-id"] not in handled:
            event = json.loads(body)
            data = event["data"]
            print(f"{event['type']}: user {data['user_id']}, key {data.get('key_id', 'none')}", flush=True)
            handled.add(self.headers["webhook-id"])
        self.answer(204 if genuine else 400)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
print("listening", flush=True)
server.serve_forever()
