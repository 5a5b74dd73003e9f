"""Receives Keyward's webhooks, and handles each message once.

    WEBHOOK_SECRET=whsec_… python3 examples/webhooks.py
"""

import http.server
import os
import re

from keyward import WebhookError, verify_webhook

SECRET = os.environ["WEBHOOK_SECRET"]

# No message of Keyward's is longer.
LONGEST_BODY = 100_000

# The ids of the messages that were handled. In your server, store them in the database, in the same transaction as the
# change that the message causes.
handled = set()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,6}", length) or int(length) > LONGEST_BODY:
            self.close_connection = True
            return self.answer(413)
        try:
            event = verify_webhook(self.headers, self.rfile.read(int(length)), SECRET)
        except WebhookError:
            return self.answer(400)
        if self.headers["webhook-id"] not in handled:
            data = event["data"]
            print(f"{event['type']}: user {data['user_id']}, key {data.get('key_id', 'none')}", flush=True)
            handled.add(self.headers["webhook-id"])
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
print("listening", flush=True)
server.serve_forever()
