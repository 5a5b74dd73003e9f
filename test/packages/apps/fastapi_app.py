"""An API with FastAPI, with uvicorn."""

import os

import uvicorn
from fastapi import Depends, FastAPI
from keyward import Caller, Keyward, Refused, fastapi_key, fastapi_refusal

keyward = Keyward(
    os.environ["KEYWARD_URL"],
    os.environ["KEYWARD_CREDENTIAL"],
    timeout=int(os.environ.get("KEYWARD_TIMEOUT_MS", "5000")) / 1000,
)

app = FastAPI()
app.add_exception_handler(Refused, fastapi_refusal)


def describe(caller: Caller):
    return {"user_id": caller.user_id, "key_id": caller.key_id, "permissions": caller.permissions}


@app.get("/me")
def me(caller: Caller = Depends(fastapi_key(keyward))):
    return describe(caller)


@app.get("/documents")
async def documents(caller: Caller = Depends(fastapi_key(keyward, ["documents.read"]))):
    return describe(caller)


@app.post("/exports")
def exports(caller: Caller = Depends(fastapi_key(keyward, cost=5))):
    return describe(caller)


@app.get("/health")
def health():
    return {"ok": True}


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
