"""Calls Keyward's REST API with Python's standard library. It creates an API key, verifies it, deactivates it and
verifies it again. Then it reads the private key's status, changes the automation settings, and shows two errors.

    KEYWARD_TOKEN=… KEYWARD_SERVER_SECRET=… python3 examples/manage_keys.py
"""

import json
import os
import sys
import urllib.error
import urllib.request

URL = os.environ.get("KEYWARD_URL", "http://127.0.0.1:4000")
TOKEN = os.environ.get("KEYWARD_TOKEN") or sys.exit("KEYWARD_TOKEN is missing: the access token of a person")
SERVER_SECRET = os.environ.get("KEYWARD_SERVER_SECRET") or sys.exit(
    "KEYWARD_SERVER_SECRET is missing: of a server with the scope keys.verify"
)


class Refused(Exception):
    """An error response of Keyward's."""

    def __init__(self, status, detail):
        sentences = detail if isinstance(detail, str) else " ".join(
            f"{'.'.join(fault['loc'])}: {fault['msg']}" for fault in detail
        )
        super().__init__(f"{status} {sentences}")
        self.status = status


def call(method, path, body=None, token=TOKEN):
    """Makes one call and returns the response's body."""
    headers = {"Authorization": f"Bearer {token}"}
    data = None
    if body is not None:
        headers["Content-Type"] = "application/json"
        data = json.dumps(body).encode()
    request = urllib.request.Request(f"{URL}/api/v1{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise Refused(error.code, json.load(error)["detail"]) from None


def verify(key):
    """What a provider's server does with a key that a client has sent."""
    answer = call("POST", "/keys/verify", {"key": key}, SERVER_SECRET)
    print("The key is valid" if answer["valid"] else f"The key is not valid: {answer['reason']}")


# The secret is in created["key"] and nowhere else. It is not printed: keep it like a password.
created = call("POST", "/auth/keys", {"name": "Example with Python"})
print(f"Made the API key {created['id']}, {created['key_prefix']}…")
verify(created["key"])
deactivated = call("DELETE", f"/auth/keys/{created['id']}")
print(f"Deactivated the API key {deactivated['id']} at {deactivated['deactivated_at']}")
verify(created["key"])

private_key = call("GET", "/auth/private-key")
print(f"A private key since {private_key['created_at']}" if private_key["has_key"] else "No private key")

settings = call("PUT", "/automation/settings", {"is_enabled": True, "session_duration": 3600})
state = "on" if settings["is_enabled"] else "off"
print(f"Automation is {state}, in sessions of {settings['session_duration']} s")

for method, path, body in [
    ("DELETE", "/auth/keys/2147483647", None),
    ("PUT", "/automation/settings", {"session_duration": 1}),
]:
    try:
        call(method, path, body)
    except Refused as refusal:
        print(f"{method} {path}: {refusal}")
