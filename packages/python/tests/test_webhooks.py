"""The signatures of webhooks."""

import base64
import hashlib
import hmac
import json
import time
import unittest
from unittest import mock

from keyward import WebhookError, verify_webhook

# Of the tests of the library `standardwebhooks`.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_" + base64.b64encode(b"another secret of a webhook").decode()
ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"

BODY = json.dumps(
    {"type": "api_key.created", "timestamp": "2026-01-31T12:00:00.000Z", "data": {"user_id": 1, "name": "é"}}
)


def sign(body=BODY, secret=SECRET, at=None, message=ID):
    stamp = f"{int(time.time() if at is None else at)}"
    data = f"{message}.{stamp}.".encode() + (body if isinstance(body, bytes) else body.encode())
    digest = hmac.new(base64.b64decode(secret.replace("whsec_", "")), data, hashlib.sha256).digest()
    return {
        "webhook-id": message,
        "webhook-timestamp": stamp,
        "webhook-signature": "v1," + base64.b64encode(digest).decode(),
    }


class Webhooks(unittest.TestCase):
    def refused(self, headers, body=BODY, secret=SECRET):
        with self.assertRaises(WebhookError) as caught:
            verify_webhook(headers, body, secret)
        self.assertNotIn("MfKQ9", str(caught.exception))

    def test_a_vector_of_standard_webhooks(self):
        headers = {"webhook-id": ID, "webhook-timestamp": "1614265330"}
        headers["webhook-signature"] = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        with mock.patch("time.time", lambda: 1614265330):
            # The signature is right, but Keyward sends no such body.
            with self.assertRaisesRegex(WebhookError, "no event"):
                verify_webhook(headers, '{"test": 2432232314}', SECRET)

    def test_a_message(self):
        for body in (BODY, BODY.encode(), bytearray(BODY.encode()), memoryview(BODY.encode())):
            event = verify_webhook(sign(), body, SECRET)
            self.assertEqual((event["type"], event["data"]["name"]), ("api_key.created", "é"))
        headers = sign()
        upper = {name.title(): value for name, value in headers.items()}
        pairs = [(name.upper().encode(), value.encode()) for name, value in headers.items()]
        for form in (upper, pairs, iter(pairs)):
            verify_webhook(form, BODY, SECRET)

    def test_several_signatures_and_secrets(self):
        old, new = sign(secret=OTHER), sign()
        both = f"{old['webhook-signature']} {new['webhook-signature']}"
        for secret in (SECRET, OTHER, [OTHER, SECRET], (SECRET,)):
            verify_webhook({**new, "webhook-signature": both}, BODY, secret)
        verify_webhook(new, BODY, [OTHER, SECRET])
        verify_webhook({**new, "webhook-signature": f"v1a,x v1,  {new['webhook-signature']} v1"}, BODY, SECRET)
        self.refused(new, BODY, OTHER)
        self.refused(new, BODY, [])

    def test_timestamps(self):
        now = int(time.time())
        with mock.patch("time.time", lambda: now):
            for at in (now - 300, now + 300):
                verify_webhook(sign(at=at), BODY, SECRET)
            for at in (now - 301, now + 301, 0):
                self.refused(sign(at=at))
            good = sign(at=now)
            for text in ("", "x", f"{now}.0", f"+{now}", f" {now} x", "²", "1" * 5000, "-1", "٣" * 10, "1e9", "nan"):
                self.refused({**good, "webhook-timestamp": text})

    def test_what_was_changed(self):
        good = sign()
        self.refused(good, BODY + " ")
        self.refused(good, BODY.encode() + b"\0")
        self.refused(good, "")
        self.refused(good, b"\xff")
        for name in good:
            self.refused({key: value for key, value in good.items() if key != name})
            self.refused({**good, name: ""})
            self.refused([*good.items(), (name, "x")])
            self.refused({**good, name: good[name] + "x"})
        # Whoever handles each id once must see the text that is signed.
        for message in (f"{ID},{ID}", f"{ID}, {ID}", f"{ID}\xa0", f" {ID}"):
            self.refused({**good, "webhook-id": message})
        signature = good["webhook-signature"]
        for text in (
            signature[3:],
            signature.replace("v1,", "v2,"),
            signature[:-1],
            "v1,",
            "v1,é",
            "v1,\ud800",
            signature.upper(),
        ):
            self.refused({**good, "webhook-signature": text})

    def test_bodies_that_are_no_event(self):
        for body in (
            "",
            "null",
            "[]",
            "5",
            '{"type":1,"data":{}}',
            '{"type":"x"}',
            '{"type":"x","data":[]}',
            "{",
            b"\xff",
        ):
            self.refused(sign(body), body)
        deep = "[" * 100_000
        self.refused(sign(deep), deep)

    def test_malformed_secrets(self):
        for secret in ("", "whsec_", "whsec_é", "whsec_a", "whsec_****", "WHSEC_" + SECRET[6:], ["whsec_"]):
            with self.assertRaises(ValueError) as caught:
                verify_webhook(sign(), BODY, secret)
            self.assertNotIsInstance(caught.exception, WebhookError)


if __name__ == "__main__":
    unittest.main()
