"""An API with Flask."""

import os

from flask import Flask, g, request
from keyward import PUBLIC, Keyward, Needs, Refusal

keyward = Keyward(
    os.environ["KEYWARD_URL"],
    os.environ["KEYWARD_CREDENTIAL"],
    timeout=int(os.environ.get("KEYWARD_TIMEOUT_MS", "5000")) / 1000,
)

app = Flask(__name__)

# By the name of the view. All others need a valid key.
NEEDS = {"documents": Needs(["documents.read"]), "exports": Needs(cost=5), "health": PUBLIC}


@app.before_request
def check_key():
    needs = NEEDS.get(request.endpoint, Needs())
    if needs is PUBLIC:
        return None
    outcome = keyward.check(request.headers, request.remote_addr, needs.permissions, needs.cost)
    if isinstance(outcome, Refusal):
        return outcome.body, outcome.status, outcome.headers
    g.caller = outcome


def describe(caller):
    return {"user_id": caller.user_id, "key_id": caller.key_id, "permissions": caller.permissions}


@app.get("/me")
def me():
    return describe(g.caller)


@app.get("/documents")
def documents():
    return describe(g.caller)


@app.post("/exports")
def exports():
    return describe(g.caller)


@app.get("/health")
def health():
    return {"ok": True}


app.run("127.0.0.1", int(os.environ["PORT"]), threaded=True)
