"""An API as an application of ASGI, with uvicorn."""

import json
import os

import uvicorn
from keyward import PUBLIC, Keyward, Needs, asgi

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


async def api(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": f"{scope['keyward'].user_id}"})
        await send({"type": "websocket.close"})
        return
    caller, route = scope["keyward"], (scope["method"], scope["path"])
    status, answer = 404, {}
    if route == ("GET", "/health"):
        status, answer = 200, {"ok": True}
    elif route in ROUTES:
        status = 200
        answer = {"user_id": caller.user_id, "key_id": caller.key_id, "permissions": caller.permissions}
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(answer).encode()})


port = int(os.environ["PORT"])
uvicorn.run(asgi(api, keyward, needs), host="127.0.0.1", port=port, lifespan="off", log_level="warning")
