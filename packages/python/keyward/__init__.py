"""Checks the API keys of requests with Keyward: for WSGI, ASGI, FastAPI, Flask and plain Python.

Only the standard library is needed. `Keyward` asks Keyward about keys. `wsgi`, `asgi` and `fastapi_key` protect an
application with it. `verify_webhook` checks what Keyward sends to your server.
"""

from __future__ import annotations

import asyncio
import base64
import concurrent.futures
import contextlib
import errno
import functools
import hashlib
import hmac
import inspect
import ipaddress
import json
import logging
import math
import os
import re
import selectors
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from http import HTTPStatus
from typing import Any, Final, NamedTuple, NoReturn, Optional, Protocol, TypedDict, TypeVar, Union
from urllib.parse import urlsplit

__version__ = "0.1.0"
__all__ = [
    "PUBLIC",
    "Automation",
    "Caller",
    "Entitlement",
    "Keyward",
    "KeywardError",
    "Needs",
    "Quota",
    "RateLimit",
    "Refusal",
    "Refused",
    "Verification",
    "WebhookError",
    "WebhookEvent",
    "asgi",
    "fastapi_key",
    "fastapi_refusal",
    "verify_webhook",
    "wsgi",
]

_T = TypeVar("_T")
_log = logging.getLogger("keyward")


# What Keyward answers


@dataclass(frozen=True)
class RateLimit:
    """What is left of a rate limit."""

    limit: int
    """Requests in each window."""
    remaining: int
    """Requests left in this window."""
    resets_at: Optional[datetime]
    """When the next window starts."""


@dataclass(frozen=True)
class Quota:
    """What is left of a quota."""

    limit: int
    """Units in each period."""
    remaining: int
    """Units left in this period."""
    refills_at: Optional[datetime]
    """When the next period starts. None if the quota never refills."""


@dataclass(frozen=True)
class Entitlement:
    """What you grant the account, and what is left of the limits that all its keys share."""

    metadata: Optional[Mapping[str, Any]] = None
    """Your own words about the account."""
    rate_limit: Optional[RateLimit] = None
    """None if the account has no rate limit."""
    quota: Optional[Quota] = None
    """None if the account has no quota."""


@dataclass(frozen=True)
class Automation:
    """The owner's automation settings."""

    is_enabled: Optional[bool] = None
    """Whether you may act for the owner."""
    session_duration: Optional[int] = None
    """How long a session lasts, in seconds."""


@dataclass(frozen=True)
class Verification:
    """What Keyward says about a key. Fields of later versions are left out."""

    valid: bool
    """Whether to serve the request. Decide by this field alone."""
    reason: Optional[str]
    """Why the key was refused. None if it is valid. Treat an unknown reason as a refusal."""
    key_id: Optional[int]
    """The id of the key. None if there is no such key."""
    user_id: Optional[int]
    """The id of the account that owns the key. None if there is no such key."""
    owner_kind: Optional[str] = None
    """`person` or `organization`."""
    organization_id: Optional[str] = None
    """The organisation that owns the key. None if a person does."""
    expires_at: Optional[datetime] = None
    """When the key expires. None if it never does."""
    name: Optional[str] = None
    """The name that the owner gave the key."""
    permissions: tuple[str, ...] = ()
    """What the key may do. `documents.*` covers all permissions that begin with `documents.`."""
    metadata: Optional[Mapping[str, Any]] = None
    """The owner's own notes. Never decide by them what the owner may have."""
    plan: Optional[str] = None
    """The account's plan. None if you have no plans."""
    entitlement: Optional[Entitlement] = None
    """What you grant the account."""
    automation: Optional[Automation] = None
    """The owner's automation settings."""
    rate_limit: Optional[RateLimit] = None
    """What is left of the key's own rate limit. None if it has none."""
    quota: Optional[Quota] = None
    """What is left of the key's own quota. None if it has none."""
    stale: bool = False
    """True if Keyward's database is away, and Keyward goes by what it said before."""


@dataclass(frozen=True)
class Caller(Verification):
    """The verification of a valid key."""

    key_id: int
    user_id: int


class KeywardError(Exception):
    """Keyward did not say whether a key is valid. Refuse the request.

    The message contains neither the key nor the credential.
    """

    status: Optional[int]
    """The status of Keyward's answer. None if it did not answer, or if its answer is malformed."""
    retry_after: int
    """When to try again, in seconds (1–3600)."""

    def __init__(
        self, message: str, status: Optional[int] = None, retry_after: int = 1, *, _failed: Optional[bool] = True
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        # Whether Keyward failed. None if it was not asked.
        self._failed = _failed


class _NotAsked(KeywardError):
    """Keyward has just failed several times."""


_NOT_FOUND = Verification(False, "not_found", None, None)


def _whole(value: object) -> Optional[int]:
    return value if type(value) is int else None


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None


def _object(value: object) -> Optional[dict[str, Any]]:
    return value if isinstance(value, dict) else None


def _time(value: object) -> Optional[datetime]:
    """Reads a time of ISO 8601. None if it is none."""
    try:
        at = datetime.fromisoformat(re.sub("Z$", "+00:00", value)) if isinstance(value, str) else None
    except ValueError:
        return None
    return at.replace(tzinfo=timezone.utc) if at and at.tzinfo is None else at


def _rate_limit(value: object) -> Optional[RateLimit]:
    given = _object(value)
    if given is None:
        return None
    numbers = _whole(given.get("limit")) or 0, _whole(given.get("remaining")) or 0
    return RateLimit(*numbers, _time(given.get("resets_at")))


def _quota(value: object) -> Optional[Quota]:
    given = _object(value)
    if given is None:
        return None
    numbers = _whole(given.get("limit")) or 0, _whole(given.get("remaining")) or 0
    return Quota(*numbers, _time(given.get("refills_at")))


def _entitlement(value: object) -> Optional[Entitlement]:
    given = _object(value)
    if given is None:
        return None
    limits = _rate_limit(given.get("rate_limit")), _quota(given.get("quota"))
    return Entitlement(_object(given.get("metadata")), *limits)


def _automation(value: object) -> Optional[Automation]:
    given = _object(value)
    if given is None:
        return None
    is_enabled = given.get("is_enabled")
    return Automation(is_enabled if isinstance(is_enabled, bool) else None, _whole(given.get("session_duration")))


def _strings(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _number(digits: str) -> Union[int, float]:
    """Reads a whole number. As an `int`, a very long one would take seconds, and an owner can write one in metadata."""
    return int(digits) if len(digits) <= 20 else float(digits)


def _no_constant(name: str) -> NoReturn:
    """Refuses `NaN` and `Infinity`, which are not JSON."""
    raise ValueError("a number is not JSON")


def _parse(body: bytes) -> Optional[dict[str, Any]]:
    """Reads a JSON object in UTF-8. None if it is none."""
    try:
        return _object(json.loads(body.decode(), parse_int=_number, parse_constant=_no_constant))
    except (ValueError, RecursionError):
        return None


def _read_verification(body: bytes) -> Verification:
    """Reads Keyward's answer. Only a clear answer counts.

    :raises KeywardError: if the answer does not say clearly whether the request may pass
    """
    given = _parse(body) or {}
    valid, reason = given.get("valid"), _text(given.get("reason"))
    key_id, user_id = _whole(given.get("key_id")), _whole(given.get("user_id"))
    rest: dict[str, Any] = {
        "owner_kind": _text(given.get("owner_kind")),
        "organization_id": _text(given.get("organization_id")),
        "expires_at": _time(given.get("expires_at")),
        "name": _text(given.get("name")),
        "permissions": _strings(given.get("permissions")),
        "metadata": _object(given.get("metadata")),
        "plan": _text(given.get("plan")),
        "entitlement": _entitlement(given.get("entitlement")),
        "automation": _automation(given.get("automation")),
        "rate_limit": _rate_limit(given.get("rate_limit")),
        "quota": _quota(given.get("quota")),
        "stale": given.get("stale") is True,
    }
    if valid is True and key_id is not None and user_id is not None:
        return Caller(True, None, key_id, user_id, **rest)
    if valid is False and reason is not None:
        return Verification(False, reason, key_id, user_id, **rest)
    raise KeywardError("The answer of Keyward is no verification")


# What a request needs, and what a refused one is answered


@dataclass(frozen=True, eq=False)
class Needs:
    """What a request needs. `Needs()`: every valid key will do.

    :raises ValueError: if a name of a permission or the cost is malformed
    """

    permissions: Sequence[str] = ()
    """Permissions that the key must have: up to 50 names of `a-z`, `0-9`, `.`, `_`, `:`, `*` and `-`."""
    cost: Optional[int] = None
    """Units to use of the key's quota and of its account's quota (0–1,000,000). Default: 1."""

    def __post_init__(self) -> None:
        # A text would be read letter by letter.
        names = () if isinstance(self.permissions, str) else tuple(dict.fromkeys(self.permissions))
        is_list = len(names) <= 50 and all(re.fullmatch("[a-z0-9._:*-]{1,100}", name) for name in names)
        if isinstance(self.permissions, str) or not is_list:
            raise ValueError("permissions must be a list of up to 50 names of permissions")
        if self.cost is not None and not (type(self.cost) is int and 0 <= self.cost <= 1_000_000):
            raise ValueError("cost must be a whole number, 0 to 1000000")
        object.__setattr__(self, "permissions", names)


PUBLIC: Final = Needs()
"""Says that a request needs no key."""


@dataclass(frozen=True)
class Refusal:
    """The answer to a request that may not pass: a problem document (RFC 9457)."""

    status: int
    """401, 403, 429 or 503. The middlewares also use 400, for an ambiguous path."""
    headers: Mapping[str, str]
    """The header fields, with their names in lower case. `content-length` is not among them."""
    body: bytes
    """JSON with `title`, `status`, `detail` and `reason`."""


def _refusal(status: int, reason: str, detail: str, headers: Optional[Mapping[str, str]] = None) -> Refusal:
    document = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, "reason": reason}
    fields = {"content-type": "application/problem+json", "cache-control": "no-store", **(headers or {})}
    return Refusal(status, fields, json.dumps(document, separators=(",", ":")).encode())


def _challenge(error: str = "") -> dict[str, str]:
    return {"www-authenticate": 'Bearer realm="api"' + (f', error="{error}"' if error else "")}


_NO_KEY = _refusal(401, "no_api_key", "Not authenticated", _challenge())
_WRONG_KEY = _refusal(401, "invalid_api_key", "Could not validate credentials", _challenge("invalid_token"))
_AMBIGUOUS_PATH = _refusal(400, "ambiguous_path", "The path of the request is ambiguous")

# Nobody learns which keys exist.
_WRONG = {"not_found", "inactive", "expired", "rotated", "paused"}

_FORBIDDEN = {
    "account_blocked": "The account of this API key is blocked",
    "address_not_allowed": "The API key may not be used from this address",
}

_EXHAUSTED = {
    "rate_limited": "The API key exceeded its rate limit.",
    "account_rate_limited": "The API keys of this account exceeded their rate limit.",
    "quota_exceeded": "The quota of the API key is used up.",
    "account_quota_exceeded": "The quota of the account is used up.",
}


def _until(reason: str, verification: Verification) -> Optional[datetime]:
    """When the limit that refused a key starts again."""
    of: Union[Verification, Entitlement] = verification
    if reason.startswith("account_"):
        of = verification.entitlement or Entitlement()
    if reason.endswith("rate_limited"):
        return of.rate_limit.resets_at if of.rate_limit else None
    return of.quota.refills_at if of.quota else None


def _refuse(verification: Verification, permissions: Sequence[str]) -> Refusal:
    """Makes the refusal for a key that is not valid."""
    reason = verification.reason or ""
    if reason in _WRONG:
        return _WRONG_KEY
    if reason == "insufficient_permissions":
        detail = f"The API key needs the permissions: {' '.join(permissions)}"
        return _refusal(403, reason, detail, _challenge("insufficient_scope"))
    if reason in _EXHAUSTED:
        until = _until(reason, verification)
        # If it never starts again: an hour, because somebody may raise it.
        seconds = max(math.ceil(until.timestamp() - time.time()), 1) if until else 3600
        return _refusal(429, reason, f"{_EXHAUSTED[reason]} Retry in {seconds} seconds.", {"retry-after": f"{seconds}"})
    # A later version may have more reasons.
    return _refusal(403, reason, _FORBIDDEN.get(reason, "The API key may not be used for this request"))


def _unavailable(error: KeywardError) -> Refusal:
    detail = "The API key cannot be checked now. Try again later."
    return _refusal(503, "unavailable", detail, {"retry-after": f"{error.retry_after}"})


# What a client sent

_Text = Union[str, bytes]


class _HasItems(Protocol):
    def items(self) -> Iterable[tuple[str, str]]:
        ...


_Headers = Union[_HasItems, Iterable[tuple[_Text, _Text]]]

# What JavaScript's `trim` removes, and Keyward with it.
_SPACE = "\t\n\v\f\r \xa0\ufeff"


def _decode(text: _Text) -> str:
    return text.decode("latin-1") if isinstance(text, bytes) else text


def _values(headers: _Headers, wanted: str) -> set[str]:
    """The different values of a header field. Some servers join several fields with commas."""
    pairs: Iterable[tuple[_Text, _Text]] = headers.items() if hasattr(headers, "items") else headers
    found = set()
    for name, value in pairs:
        if _decode(name).lower() == wanted:
            text = _decode(value).strip(_SPACE)
            parts = {part.strip(_SPACE) for part in text.split(",")}
            found.add(parts.pop() if len(parts) == 1 else text)
    return found


def _read_key(headers: _Headers) -> Optional[str]:
    """Reads the key of a request. None if it has none; empty, which no key is, if it has two different ones."""
    if not hasattr(headers, "items"):
        headers = list(headers)
    keys, authorizations = _values(headers, "x-api-key"), _values(headers, "authorization")
    if len(authorizations) > 1:
        return ""
    for authorization in authorizations:
        bearer = re.match(r"bearer(?: +|\Z)(.*)", authorization, re.IGNORECASE | re.DOTALL)
        if bearer:
            keys.add(bearer[1])
    return keys.pop() if len(keys) == 1 else "" if keys else None


def _is_key(text: str) -> bool:
    return re.fullmatch(r"[\x21-\x7e]{1,1000}", text) is not None


def _read_address(text: Optional[str]) -> Optional[str]:
    """Reads an IP address without its zone. None if it is none, for example the path of a Unix socket."""
    try:
        return str(ipaddress.ip_address(text.partition("%")[0])) if isinstance(text, str) else None
    except ValueError:
        return None


# Waiting. What asks Keyward is a generator: it yields what it waits for, and goes on when that is there or the time is
# over. So threads and asyncio use the same code, and the same connections.


class _Ready(NamedTuple):
    """Waits until a socket can be read or written."""

    socket: socket.socket
    writes: bool
    until: float


class _Pause(NamedTuple):
    """Waits for something that ends, or only for a time."""

    end: Union[None, concurrent.futures.Future[Any], Awaitable[Any]]
    until: float


_Steps = Generator[Union[_Ready, _Pause], Any, _T]

# Not `select`, which fails from 1024 open files on. Windows has only that, without this limit.
_Selector: type[selectors.BaseSelector] = getattr(selectors, "PollSelector", selectors.SelectSelector)


def _left(until: float) -> float:
    return max(until - time.monotonic(), 0)


def _poll(sock: socket.socket, writes: bool, seconds: float) -> bool:
    """Waits in this thread. Returns whether the socket is ready."""
    with _Selector() as selector:
        selector.register(sock, selectors.EVENT_WRITE if writes else selectors.EVENT_READ)
        return bool(selector.select(seconds))


def _wait(step: Union[_Ready, _Pause]) -> None:
    """Waits in this thread."""
    if isinstance(step, _Ready):
        _poll(step.socket, step.writes, _left(step.until))
    elif step.end is None:
        time.sleep(_left(step.until))
    elif isinstance(step.end, concurrent.futures.Future):
        concurrent.futures.wait([step.end], _left(step.until))
    elif inspect.iscoroutine(step.end):
        step.end.close()


async def _wait_async(step: Union[_Ready, _Pause]) -> Optional[asyncio.Future[Any]]:
    """Waits without blocking the event loop. Not by `wait_for`, which can lose a cancellation until Python 3.12."""
    if isinstance(step, _Ready):
        await _wait_ready(step)
    elif step.end is None:
        await asyncio.sleep(_left(step.until))
    elif isinstance(step.end, concurrent.futures.Future):
        await _wait_done(step.end, step.until)
    else:
        task = asyncio.ensure_future(step.end)
        try:
            await asyncio.wait([task], timeout=_left(step.until))
            return task
        finally:
            # One that was there before may be for others too.
            if task is not step.end:
                # Its error may contain the credential, and nobody else is to tell.
                task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
                task.cancel()
    return None


async def _wait_ready(step: _Ready) -> None:
    """Waits for a socket."""
    loop, number = asyncio.get_running_loop(), step.socket.fileno()
    add, remove = (loop.add_writer, loop.remove_writer) if step.writes else (loop.add_reader, loop.remove_reader)
    wake = asyncio.Event()
    try:
        add(number, wake.set)
    except NotImplementedError:  # The proactor loop of Windows.
        await loop.run_in_executor(None, _wait, step)
        return
    timer = loop.call_later(_left(step.until), wake.set)
    try:
        await wake.wait()
    finally:
        timer.cancel()
        remove(number)


async def _wait_done(end: concurrent.futures.Future[Any], until: float) -> None:
    """Waits for another thread or task, which may end after the event loop."""
    loop, wake = asyncio.get_running_loop(), asyncio.Event()

    def tell(_end: object) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(wake.set)

    timer = loop.call_later(_left(until), wake.set)
    end.add_done_callback(tell)
    try:
        await wake.wait()
    finally:
        timer.cancel()


def _run(steps: _Steps[_T]) -> _T:
    """Runs a generator in this thread."""
    try:
        step = next(steps)
        while True:
            _wait(step)
            step = steps.send(None)
    except StopIteration as end:
        result: _T = end.value
        return result
    finally:
        steps.close()


async def _run_async(steps: _Steps[_T]) -> _T:
    """Runs a generator on the event loop."""
    try:
        step = next(steps)
        while True:
            step = steps.send(await _wait_async(step))
    except StopIteration as end:
        result: _T = end.value
        return result
    finally:
        steps.close()


# HTTP

_LONGEST_HEAD: Final = 65_536
_LONGEST_BODY: Final = 1_000_000


class _Malformed(OSError):
    """Keyward's answer is no HTTP, or too long."""


def _retried(sock: socket.socket, call: Callable[[], _T], writes: bool, until: float) -> _Steps[_T]:
    """Calls a function of a socket until it need not wait any more.

    :raises OSError: if it fails, or if the time is over
    """
    while True:
        if time.monotonic() >= until:
            raise TimeoutError("no answer in time")
        try:
            return call()
        except ssl.SSLWantReadError:
            step = _Ready(sock, False, until)
        except ssl.SSLWantWriteError:
            step = _Ready(sock, True, until)
        except BlockingIOError:
            step = _Ready(sock, writes, until)
        yield step


def _open(
    address: tuple[Any, ...], host: str, context: Optional[ssl.SSLContext], until: float
) -> _Steps[socket.socket]:
    """Connects to an address, with TLS if there is a context."""
    family, kind, protocol, _, target = address
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setblocking(False)
        code = sock.connect_ex(target)
        if code in (errno.EINPROGRESS, errno.EWOULDBLOCK):
            yield _Ready(sock, True, until)
            code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            raise OSError(code, os.strerror(code))
        # Also if the time was over: there is no error then.
        yield from _retried(sock, sock.getpeername, True, until)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            secure = context.wrap_socket(sock, server_hostname=host, do_handshake_on_connect=False)
            sock = secure
            yield from _retried(sock, secure.do_handshake, True, until)
        return sock
    except BaseException:
        sock.close()
        raise


class _Reader:
    """Reads an answer of HTTP/1.1 strictly (RFC 9112)."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._socket = sock
        self._until = until
        self._head_left = _LONGEST_HEAD
        self.buffer = bytearray()

    def _fill(self) -> _Steps[bool]:
        data = yield from _retried(self._socket, lambda: self._socket.recv(65_536), False, self._until)
        self.buffer += data
        return bool(data)

    def _need(self) -> _Steps[None]:
        if not (yield from self._fill()):
            raise ConnectionResetError("the connection was closed before the answer was complete")

    def line(self) -> _Steps[bytes]:
        while (end := self.buffer.find(b"\n")) < 0 and len(self.buffer) <= self._head_left:
            yield from self._need()
        self._head_left -= end + 1
        if end < 0 or self._head_left < 0:
            raise _Malformed("the head of the answer is too long")
        line = bytes(self.buffer[:end]).rstrip(b"\r")
        del self.buffer[: end + 1]
        return line

    def take(self, length: int) -> _Steps[bytes]:
        while len(self.buffer) < length:
            yield from self._need()
        data = bytes(self.buffer[:length])
        del self.buffer[:length]
        return data

    def rest(self) -> _Steps[bytes]:
        while len(self.buffer) <= _LONGEST_BODY and (yield from self._fill()):
            pass
        return bytes(self.buffer)


class _Answer(NamedTuple):
    status: int
    fields: dict[str, str]
    body: bytes
    idle: float
    """How long the connection may be kept, in seconds. 0 if it may not."""


def _read_head(reader: _Reader) -> _Steps[tuple[bool, int, dict[str, str]]]:
    """Reads the status line and the fields. The first value is whether the version is 1.1."""
    first = yield from reader.line()
    status = re.fullmatch(rb"HTTP/1\.([01]) ([1-5][0-9]{2})(?: [^\r]*)?", first)
    if not status:
        raise _Malformed("the answer is not HTTP/1.1")
    fields: dict[str, str] = {}
    while line := (yield from reader.line()):
        field = re.fullmatch(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\0]*?)[ \t]*", line)
        if not field:
            raise _Malformed("a header field of the answer is malformed")
        name, value = field[1].decode().lower(), field[2].decode("latin-1")
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return status[1] == b"1", int(status[2]), fields


def _read_chunks(reader: _Reader) -> _Steps[bytes]:
    body = b""
    while True:
        size = re.fullmatch(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r]*)?", (yield from reader.line()))
        if not size:
            raise _Malformed("a chunk of the answer is malformed")
        length = int(size[1], 16)
        if len(body) + length > _LONGEST_BODY:
            raise _Malformed("the answer is too long")
        if length == 0:
            break
        body += yield from reader.take(length)
        if (yield from reader.line()):
            raise _Malformed("a chunk of the answer is malformed")
    while (yield from reader.line()):
        pass  # Trailer fields.
    return body


def _read_body(reader: _Reader, status: int, fields: dict[str, str]) -> _Steps[tuple[bytes, bool]]:
    """Reads the body. The second value is whether the connection can be used again (RFC 9112, section 6.3)."""
    coding, length = fields.get("transfer-encoding"), fields.get("content-length")
    if status in (204, 304):
        return b"", True
    if coding is not None:
        if coding.lower() != "chunked" or length is not None:
            raise _Malformed("the length of the answer is unclear")
        return (yield from _read_chunks(reader)), True
    if length is None:
        body = yield from reader.rest()
    elif re.fullmatch("[0-9]{1,15}", length) is None:
        raise _Malformed("the length of the answer is unclear")
    elif int(length) <= _LONGEST_BODY:
        return (yield from reader.take(int(length))), True
    if length is not None or len(body) > _LONGEST_BODY:
        raise _Malformed("the answer is too long")
    return body, False


def _idle_time(fields: dict[str, str]) -> float:
    """How long the connection may be kept, in seconds: a second less than Keyward keeps it, and 60 at the most."""
    if re.search(r"(?:^|[ ,])close(?:[ ,]|$)", fields.get("connection", ""), re.IGNORECASE):
        return 0
    told = re.search(r"(?:^|[ ,])timeout=([0-9]{1,6})(?:[ ,]|$)", fields.get("keep-alive", ""), re.IGNORECASE)
    return min(int(told[1]) - 1, 60) if told else 4


def _converse(sock: socket.socket, request: bytes, until: float) -> _Steps[_Answer]:
    """Sends a request and reads the answer."""
    while request:
        request = request[(yield from _retried(sock, lambda: sock.send(request), True, until)) :]  # noqa: B023
    reader = _Reader(sock, until)
    is_new, status, fields = yield from _read_head(reader)
    while 100 <= status < 200:
        if status == 101:
            raise _Malformed("the answer switches protocols")
        is_new, status, fields = yield from _read_head(reader)
    body, is_framed = yield from _read_body(reader, status, fields)
    # What came after the answer would be taken for the next one.
    is_reusable = is_new and is_framed and not reader.buffer
    return _Answer(status, fields, body, _idle_time(fields) if is_reusable else 0)


# Connections, and when not to ask

_MOST_CONNECTIONS: Final = 64
_MOST_FAULTS: Final = 5
_REST_SECONDS: Final = 2.0


class _Connection(NamedTuple):
    socket: socket.socket
    usable_until: float


@dataclass
class _Circuit:
    """After several faults in a row, nobody waits for Keyward for a while. Then one request tries."""

    tries_at: Optional[float] = None
    """When one request may try. None while all may ask."""
    faults: int = 0


class _State:
    """What threads and event loops of one process share. A forked process begins anew: two processes that read from one
    connection would get each other's answers."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._lock = threading.Lock()
        self._idle: deque[_Connection] = deque()
        self._busy = 0
        self._waiting: deque[concurrent.futures.Future[None]] = deque()
        self._circuit = _Circuit()
        self._lookup: Optional[concurrent.futures.Future[Any]] = None

    def take(self) -> Optional[socket.socket]:
        """Takes a connection that Keyward has not closed. None if there is none."""
        while True:
            try:
                sock, usable_until = self._idle.pop()
            except IndexError:
                return None
            # Nothing should come: what does is the end, or an answer to nothing.
            if time.monotonic() < usable_until and not _poll(sock, False, 0):
                return sock
            sock.close()

    def give(self, sock: socket.socket, idle: float) -> None:
        """Keeps a connection for the next request."""
        self._idle.append(_Connection(sock, time.monotonic() + idle))
        try:
            while self._idle[0].usable_until <= time.monotonic():
                self._idle.popleft().socket.close()
        except IndexError:
            pass  # Another thread has taken the last one.

    def close(self) -> None:
        while self._idle:
            self._idle.pop().socket.close()

    def begin(self, until: float) -> _Steps[None]:
        """Waits for a turn: only so many requests are sent at the same time.

        :raises KeywardError: if the time is over
        """
        with self._lock:
            if self._busy < _MOST_CONNECTIONS:
                self._busy += 1
                return
            turn: concurrent.futures.Future[None] = concurrent.futures.Future()
            self._waiting.append(turn)
        is_mine = False
        try:
            yield _Pause(turn, until)
            is_mine = turn.done() and not turn.cancelled()
        finally:
            # If it cannot be cancelled, somebody has just handed it on.
            if not is_mine and not turn.cancel():
                self.end()
        if not is_mine:
            raise KeywardError("Too many requests wait for Keyward", _failed=None)

    def end(self) -> None:
        """Hands a turn on to the next."""
        with self._lock:
            while self._waiting:
                turn = self._waiting.popleft()
                if turn.set_running_or_notify_cancel():
                    turn.set_result(None)
                    return
            self._busy -= 1

    def enter(self) -> _Circuit:
        """Asks whether Keyward may be asked.

        :raises _NotAsked: if Keyward has just failed several times
        """
        with self._lock:
            circuit = self._circuit
            if circuit.tries_at is not None:
                if time.monotonic() < circuit.tries_at:
                    raise _NotAsked("Keyward has just failed several times, and is not asked now", _failed=None)
                circuit.tries_at = math.inf
            return circuit

    def leave(self, circuit: _Circuit, failed: Optional[bool]) -> None:
        """Notes how a request ended. None if Keyward was not asked, or if the request was cancelled."""
        with self._lock:
            # How requests ended that began in an earlier state says nothing about the present.
            if circuit is not self._circuit:
                return
            if circuit.tries_at is not None:
                rest = _REST_SECONDS if failed else 0
                self._circuit = _Circuit() if failed is False else _Circuit(time.monotonic() + rest)
                return
            if failed is not None:
                circuit.faults = circuit.faults + 1 if failed else 0
            if circuit.faults >= _MOST_FAULTS:
                self._circuit = _Circuit(time.monotonic() + _REST_SECONDS)

    def addresses(self, host: str, port: int, until: float) -> _Steps[list[tuple[Any, ...]]]:
        """Looks up a host. A lookup cannot be stopped: it has its own thread, and all who wait share it."""
        try:
            return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST))
        except (socket.gaierror, UnicodeError):
            pass  # It is a name, or cannot be one.
        with self._lock:
            lookup = self._lookup
            if lookup is None:
                lookup = concurrent.futures.Future()
                arguments = (host, port, lookup)
                threading.Thread(target=self._look_up, args=arguments, name="keyward-lookup", daemon=True).start()
                self._lookup = lookup
        yield _Pause(lookup, until)
        if not lookup.done():
            raise TimeoutError("no answer from the name server in time")
        found: Union[list[tuple[Any, ...]], OSError] = lookup.result()
        if isinstance(found, OSError):
            raise OSError(*found.args)
        return found

    def _look_up(self, host: str, port: int, lookup: concurrent.futures.Future[Any]) -> None:
        found: Union[list[tuple[Any, ...]], OSError]
        try:
            found = list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as error:
            found = error
        except Exception as error:  # A name that cannot be one.
            found = OSError(str(error))
        with self._lock:
            self._lookup = None
        lookup.set_result(found)


# Asking Keyward

Credential = Union[str, Callable[[], Union[str, Awaitable[str]]]]
_PAUSE_SECONDS: Final = 0.1


class _CredentialError(ValueError):
    """The message does not contain the credential."""


def _clean(credential: object) -> str:
    text = credential.strip() if isinstance(credential, str) else ""
    if not re.fullmatch(r"[\x21-\x7e]+", text):
        raise _CredentialError("the credential is no visible ASCII text")
    return text


def _refused_with(answer: _Answer) -> KeywardError:
    told = answer.fields.get("retry-after", "")
    seconds = int(told) if re.fullmatch("[0-9]{1,4}", told) else 0
    hint = ": check the credential and its scope" if answer.status in (401, 403) else ""
    return KeywardError(
        f"Keyward answered with status {answer.status}{hint}",
        answer.status,
        seconds if 1 <= seconds <= 3600 else 1,
        _failed=not 400 <= answer.status < 500,
    )


def _log_error(error: KeywardError) -> None:
    _log.error("keyward: %s", error)


class Keyward:
    """Asks Keyward about API keys. Threads and event loops can share it, and forked processes too.

    Up to 64 connections are kept and used again. The proxies of the environment (`HTTPS_PROXY`) are not used. With
    `https://`, the certificate and its host name are checked.

    :param url: Keyward's URL, such as `https://keys.example.com`. It may have a path.
    :param credential: your server's secret (`kws_…`), or an access token with the scope `keys.verify`. Or a function
        that returns one, called for each request to Keyward. It may be asynchronous for `verify_async` and
        `check_async`. It must not block for long: nothing can stop it.
    :param timeout: the longest time for which a request waits for Keyward, in seconds
    :param on_error: called if asking Keyward fails. Not called for requests that are refused without asking, because
        Keyward has just failed several times. Default: logs one line to the logger `keyward`, which Python writes to
        stderr if you have not set up logging.
    :raises ValueError: if a parameter is malformed
    """

    def __init__(
        self,
        url: str,
        credential: Credential,
        timeout: float = 5,
        on_error: Callable[[KeywardError], object] = _log_error,
    ) -> None:
        parts = urlsplit(url)
        is_plain = re.fullmatch(r"[\x21-\x7e]+", url) and not re.search(r"[@?#\\]", url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain:
            raise ValueError("url must be an http or https URL, without a user, a query or a fragment")
        if not 0 < timeout <= 600:
            raise ValueError("timeout must be more than 0 and at most 600 seconds")
        if not callable(credential):
            credential = _clean(credential)
        self._host, self._port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        self._head = (
            f"POST {parts.path.rstrip('/')}/api/v1/keys/verify HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"User-Agent: keyward-python/{__version__}\r\nAccept: application/json\r\n"
            "Content-Type: application/json\r\n"
        )
        self._context = ssl.create_default_context() if parts.scheme == "https" else None
        self._credential, self._timeout, self._on_error = credential, timeout, on_error
        self._shared = _State()

    def verify(
        self,
        key: str,
        permissions: Sequence[str] = (),
        cost: Optional[int] = None,
        address: Optional[str] = None,
    ) -> Verification:
        """Verifies an API key. This uses its quota.

        :param key: the key as the client sent it
        :param permissions: the permissions that the request needs
        :param cost: the units that the request uses of the quotas (0–1,000,000). Default: 1
        :param address: the client's IP address, if it is known
        :returns: a `Caller` if the key is valid
        :raises KeywardError: if Keyward does not say whether the key is valid: refuse the request
        :raises ValueError: if a permission or the cost is malformed
        """
        return _run(self._verify(key, Needs(permissions, cost), address))

    async def verify_async(
        self,
        key: str,
        permissions: Sequence[str] = (),
        cost: Optional[int] = None,
        address: Optional[str] = None,
    ) -> Verification:
        """Verifies an API key without blocking the event loop of asyncio. Otherwise like `verify`.

        If the task is cancelled, the connection is closed. Keyward may have counted the request already.
        """
        return await _run_async(self._verify(key, Needs(permissions, cost), address))

    def check(
        self,
        headers: _Headers,
        address: Optional[str] = None,
        permissions: Sequence[str] = (),
        cost: Optional[int] = None,
    ) -> Union[Caller, Refusal]:
        """Checks a request by its header fields. This uses the quota of its key.

        :param headers: a mapping, or pairs of names and values. With pairs, a field may come several times
        :param address: the client's IP address, if it is known
        :param permissions: the permissions that the request needs
        :param cost: the units that the request uses of the quotas (0–1,000,000). Default: 1
        :returns: who calls, or the answer to send in place of yours
        :raises ValueError: if a permission or the cost is malformed
        """
        return _run(self._check(headers, address, Needs(permissions, cost)))

    async def check_async(
        self,
        headers: _Headers,
        address: Optional[str] = None,
        permissions: Sequence[str] = (),
        cost: Optional[int] = None,
    ) -> Union[Caller, Refusal]:
        """Checks a request without blocking the event loop of asyncio. Otherwise like `check` and `verify_async`."""
        return await _run_async(self._check(headers, address, Needs(permissions, cost)))

    def close(self) -> None:
        """Closes the connections that no request uses. The object can be used again."""
        self._state().close()

    def _state(self) -> _State:
        if self._shared.process != os.getpid():
            self._shared.close()
            self._shared = _State()
        return self._shared

    def _check(self, headers: _Headers, address: Optional[str], needs: Needs) -> _Steps[Union[Caller, Refusal]]:
        key = _read_key(headers)
        if key is None:
            return _NO_KEY
        try:
            verification = yield from self._verify(key, needs, address)
        except KeywardError as error:
            return _unavailable(error)
        return verification if isinstance(verification, Caller) else _refuse(verification, needs.permissions)

    def _verify(self, key: str, needs: Needs, address: Optional[str]) -> _Steps[Verification]:
        # Whatever a client sends, the question is well-formed.
        if not _is_key(key):
            return _NOT_FOUND
        question: dict[str, object] = {"key": key, "permissions": needs.permissions}
        if needs.cost is not None:
            question["cost"] = needs.cost
        if (known := _read_address(address)) is not None:
            question["address"] = known
        return (yield from self._ask(json.dumps(question).encode()))

    def _ask(self, question: bytes) -> _Steps[Verification]:
        until = time.monotonic() + self._timeout
        state = self._state()
        try:
            yield from state.begin(until)
            try:
                return (yield from self._ask_in_turn(state, question, until))
            finally:
                state.end()
        except _NotAsked:
            raise
        except KeywardError as error:
            self._tell(error)
            raise

    def _ask_in_turn(self, state: _State, question: bytes, until: float) -> _Steps[Verification]:
        circuit = state.enter()
        failed: Optional[bool] = None
        try:
            credential = yield from self._read_credential(until)
            verification = yield from self._fetch(state, credential, question, until)
            failed = False
        except KeywardError as error:
            failed = error._failed
            raise
        finally:
            state.leave(circuit, failed)
        return verification

    def _tell(self, error: KeywardError) -> None:
        try:
            self._on_error(error)
        except Exception:
            _log.exception("on_error failed")

    def _read_credential(self, until: float) -> _Steps[str]:
        """Reads the credential. No error repeats it, nor what the function says: that may contain it."""
        if isinstance(self._credential, str):
            return self._credential
        try:
            given = self._credential()
            if inspect.isawaitable(given):
                task: Optional[asyncio.Future[str]] = yield _Pause(given, until)
                if task is None:
                    raise _CredentialError("it is asynchronous, so use verify_async or check_async")
                if not task.done():
                    raise _CredentialError("it took too long")
                given = task.result()
            return _clean(given)
        except (Exception, asyncio.CancelledError) as error:
            fault = f"{error}" if isinstance(error, _CredentialError) else f"it raised {type(error).__name__}"
            raise KeywardError(f"The function for the credential failed: {fault}", _failed=None) from None

    def _fetch(self, state: _State, credential: str, question: bytes, until: float) -> _Steps[Verification]:
        head = f"{self._head}Authorization: Bearer {credential}\r\nContent-Length: {len(question)}\r\n\r\n"
        answer: Optional[_Answer] = None
        try:
            sock = state.take() or (yield from self._connect(state, until))
            try:
                answer = yield from _converse(sock, head.encode() + question, until)
            finally:
                if answer and answer.idle > 0:
                    state.give(sock, answer.idle)
                else:
                    sock.close()
        except TimeoutError:
            raise KeywardError(f"Keyward did not answer within {self._timeout} seconds") from None
        except OSError as error:
            raise KeywardError(f"Keyward could not be asked: {error}") from error
        if answer.status != 200:
            raise _refused_with(answer)
        return _read_verification(answer.body)

    def _connect(self, state: _State, until: float) -> _Steps[socket.socket]:
        """Connects, and tries once more if that fails: Keyward has received nothing yet."""
        try:
            # Half of the time, so that there is time for the other try.
            return (yield from self._connect_once(state, time.monotonic() + _left(until) / 2))
        except ssl.SSLError:
            raise  # The next certificate will be no better.
        except OSError:
            yield _Pause(None, min(time.monotonic() + _PAUSE_SECONDS, until))
        return (yield from self._connect_once(state, until))

    def _connect_once(self, state: _State, until: float) -> _Steps[socket.socket]:
        """Tries the addresses of the host in turn. Each has an equal part of the time that is left."""
        addresses = yield from state.addresses(self._host, self._port, until)
        failure = OSError("the host has no address")
        for index, address in enumerate(addresses):
            part = time.monotonic() + _left(until) / (len(addresses) - index)
            try:
                return (yield from _open(address, self._host, self._context, part))
            except ssl.SSLError:
                raise
            except OSError as error:
                failure = error
        raise failure


# Frameworks

_NeedsOf = Callable[[str, str], Optional[Needs]]

# A path that not all applications read alike: with an empty segment, a segment of dots, a backslash, or a control
# character. For example, a route `^/documents$` of Starlette also matches `/documents` with a line feed at its end.
_AMBIGUOUS = re.compile(r"(?!/)|.*(?://|/\.{1,2}(?:/|\Z)|[\x00-\x1f\x7f\\])", re.DOTALL)


def _every_request(_method: str, _path: str) -> Needs:
    return Needs()


def _needs_of(needs: _NeedsOf, method: str, path: str) -> Union[Needs, Refusal]:
    """Asks what a request needs, for each way in which an application may read it."""
    path = path or "/"
    if _AMBIGUOUS.match(path):
        return _AMBIGUOUS_PATH
    method = method.upper()
    # Frameworks answer HEAD by the handler for GET, and many read a path without the slash at its end.
    if method == "HEAD":
        method = "GET"
    has_slash = path.endswith("/")
    other = path if path == "/" else path[:-1] if has_slash else f"{path}/"
    one, two = needs(method, path), needs(method, other)
    if one is PUBLIC and (two is PUBLIC or not has_slash):
        return PUBLIC
    return _both(*(Needs() if need is None else need for need in (one, two)))


def _both(one: Needs, two: Needs) -> Needs:
    costs = [need.cost for need in (one, two) if need.cost is not None]
    return Needs([*one.permissions, *two.permissions], max(costs, default=None))


def wsgi(app: Callable[..., Any], keyward: Keyward, needs: _NeedsOf = _every_request) -> Callable[..., Iterable[bytes]]:
    """Protects an application of WSGI (PEP 3333). It finds the `Caller` as `environ["keyward"]`.

    The client's address is `REMOTE_ADDR`. WSGI has one name for `X-API-Key` and `X_API_Key`: unless your server drops
    names with `_`, a key is also accepted under that name.

    :param needs: says what a request needs, by its method and its path (`PATH_INFO`, decoded): `Needs(...)`, or
        `PUBLIC` if it needs no key: return that only for paths that you name. Default, and for None: every valid key
        will do. It must be a plain function,
        because it is called twice: a path with and without a slash at its end needs the same permissions. HEAD counts
        as GET. Ambiguous paths (`//`, `/../`) are refused with 400.
    """

    def guarded(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        outcome = _check_wsgi(environ, keyward, needs)
        if isinstance(outcome, Refusal):
            status = f"{outcome.status} {HTTPStatus(outcome.status).phrase}"
            fields = {**outcome.headers, "content-length": f"{len(outcome.body)}"}
            start_response(status, list(fields.items()))
            return [] if method == "HEAD" else [outcome.body]
        environ["keyward"] = outcome
        answer: Iterable[bytes] = app(environ, start_response)
        return answer

    return guarded


def _check_wsgi(environ: dict[str, Any], keyward: Keyward, needs: _NeedsOf) -> Union[None, Caller, Refusal]:
    """Checks a request. None if it needs no key."""
    try:
        path = environ.get("PATH_INFO", "").encode("latin-1").decode()
    except UnicodeError:
        return _AMBIGUOUS_PATH
    need = _needs_of(needs, environ["REQUEST_METHOD"], path)
    if isinstance(need, Refusal):
        return need
    if need is PUBLIC:
        return None
    names = {"HTTP_X_API_KEY": "x-api-key", "HTTP_AUTHORIZATION": "authorization"}
    headers = {name: environ[variable] for variable, name in names.items() if variable in environ}
    return keyward.check(headers, environ.get("REMOTE_ADDR"), need.permissions, need.cost)


def asgi(app: Callable[..., Any], keyward: Keyward, needs: _NeedsOf = _every_request) -> Callable[..., Awaitable[None]]:
    """Protects an application of ASGI. It finds the `Caller` as `scope["keyward"]`.

    The client's address is `scope["client"]`. A refused WebSocket is never opened: its handshake gets the refusal, or
    403 if the server cannot send that. A WebSocket counts as GET.

    :param needs: as for `wsgi`. The path is `scope["path"]`, with and without the `root_path` of the server or of the
        application: both count, and a path is public only if both are. If the application is wrapped in another
        middleware and sets a root path itself, add this with `app.add_middleware(asgi, keyward=…, needs=…)`.
    """

    async def guarded(scope: dict[str, Any], receive: Callable[..., Any], send: Callable[..., Any]) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        outcome = await _check_asgi(scope, app, keyward, needs)
        if not isinstance(outcome, Refusal):
            await app({**scope, "keyward": outcome}, receive, send)
        elif scope["type"] == "websocket":
            await _refuse_websocket(outcome, scope, receive, send)
        else:
            await _send_refusal("http", outcome, send)

    return guarded


def _readings(scope: dict[str, Any], app: object) -> list[str]:
    """The paths that a framework may route by. Versions differ in whether `path` contains `root_path`, and FastAPI sets
    one of its own after this."""
    path: str = scope["path"]
    roots = [f"{root or ''}".rstrip("/") for root in (scope.get("root_path"), getattr(app, "root_path", None))]
    return [path, *(path[len(root) :] for root in roots if root and f"{path}/".startswith(f"{root}/"))]


def _needs_of_all(needs: _NeedsOf, method: str, paths: Sequence[str]) -> Union[Needs, Refusal]:
    """Asks what a request needs, whichever of the paths it is read by. It is public only if all are."""
    found = [_needs_of(needs, method, path) for path in paths]
    for need in found:
        if isinstance(need, Refusal):
            return need
    each = [need for need in found if isinstance(need, Needs)]
    if all(need is PUBLIC for need in each):
        return PUBLIC
    return functools.reduce(_both, (Needs() if need is PUBLIC else need for need in each))


async def _check_asgi(
    scope: dict[str, Any], app: object, keyward: Keyward, needs: _NeedsOf
) -> Union[None, Caller, Refusal]:
    """Checks a request or a handshake. None if it needs no key."""
    if scope["type"] not in ("http", "websocket"):
        raise ValueError(f"keyward does not know requests of the type {scope['type']}")
    need = _needs_of_all(needs, scope.get("method", "GET"), _readings(scope, app))
    if isinstance(need, Refusal):
        return need
    if need is PUBLIC:
        return None
    return await keyward.check_async(scope["headers"], (scope.get("client") or [None])[0], need.permissions, need.cost)


async def _send_refusal(kind: str, refusal: Refusal, send: Callable[..., Any]) -> None:
    fields = {**refusal.headers, "content-length": f"{len(refusal.body)}"}
    headers = [(name.encode(), value.encode()) for name, value in fields.items()]
    await send({"type": f"{kind}.response.start", "status": refusal.status, "headers": headers})
    await send({"type": f"{kind}.response.body", "body": refusal.body})


async def _refuse_websocket(
    refusal: Refusal, scope: dict[str, Any], receive: Callable[..., Any], send: Callable[..., Any]
) -> None:
    await receive()
    if "websocket.http.response" in (scope.get("extensions") or {}):
        await _send_refusal("websocket.http", refusal, send)
    else:
        await send({"type": "websocket.close", "code": 1008})


class Refused(Exception):
    """A request that may not pass. Raised by `fastapi_key`, answered by `fastapi_refusal`."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"refused with status {refusal.status}")
        self.refusal = refusal


def fastapi_key(keyward: Keyward, permissions: Sequence[str] = (), cost: Optional[int] = None) -> Callable[..., Any]:
    """Makes a dependency of FastAPI: `caller: Caller = Depends(fastapi_key(keyward, ["documents.read"]))`.

    Also for routes of WebSockets. Each such dependency of a route asks Keyward, so one will do. It needs
    `app.add_exception_handler(Refused, fastapi_refusal)`: without that, refused requests get 500.

    :param permissions: the permissions that the route needs
    :param cost: the units that a request uses of the quotas (0–1,000,000). Default: 1
    :raises ValueError: if a permission or the cost is malformed
    """
    from fastapi import Security
    from fastapi.openapi.models import APIKey, APIKeyIn, HTTPBearer
    from fastapi.security.base import SecurityBase
    from starlette.requests import HTTPConnection

    needs = Needs(permissions, cost)

    class Scheme(SecurityBase):
        """Only describes how a key is sent."""

        def __init__(self, name: str, model: Any) -> None:
            self.scheme_name, self.model = name, model

        async def __call__(self) -> None:
            return None

    in_header = Scheme("ApiKey", APIKey(**{"in": APIKeyIn.header, "name": "X-API-Key"}))
    as_bearer = Scheme("ApiKeyAsBearer", HTTPBearer())

    async def check_key(connection: Any, _one: Any = Security(in_header), _two: Any = Security(as_bearer)) -> Caller:
        client = connection.scope.get("client") or [None]
        outcome = await keyward.check_async(connection.scope["headers"], client[0], needs.permissions, needs.cost)
        if isinstance(outcome, Refusal):
            raise Refused(outcome)
        return outcome

    # FastAPI cannot see a name of this function.
    check_key.__annotations__["connection"] = HTTPConnection
    return check_key


async def fastapi_refusal(connection: Any, refused: Any) -> Any:
    """Answers what `fastapi_key` refuses: `app.add_exception_handler(Refused, fastapi_refusal)`."""
    from starlette.responses import Response

    if connection.scope["type"] == "websocket":
        await connection.close(1008)
        return None
    refusal: Refusal = refused.refusal
    return Response(refusal.body, refusal.status, dict(refusal.headers))


# Webhooks

_TOLERANCE_SECONDS: Final = 300


class WebhookError(ValueError):
    """A message does not come from Keyward, or is too old."""


class WebhookEvent(TypedDict):
    """What Keyward tells. Ignore unknown types and members."""

    type: str
    """What has happened, such as `api_key.created`."""
    timestamp: str
    """When it happened (ISO 8601)."""
    data: dict[str, Any]
    """The members depend on the type."""


def verify_webhook(headers: _Headers, body: _Text, secret: Union[str, Sequence[str]]) -> WebhookEvent:
    """Verifies a message from Keyward (Standard Webhooks), and reads it.

    A message may arrive twice: remember each `webhook-id` that you have handled.

    :param headers: the header fields of the request: a mapping, or pairs of names and values
    :param body: the body as it came, byte for byte
    :param secret: the endpoint's secret (`whsec_…`), or several while you replace it
    :raises WebhookError: if no secret has signed the message in the last five minutes, or if it is no event
    :raises ValueError: if a secret is malformed
    """
    keys = [_webhook_key(each) for each in ([secret] if isinstance(secret, str) else secret)]
    if not hasattr(headers, "items"):
        headers = list(headers)
    content = body.encode() if isinstance(body, str) else bytes(body)
    if not _is_signed(headers, content, keys):
        raise WebhookError("The signature is wrong")
    event = _parse(content) or {}
    if not isinstance(event.get("type"), str) or not isinstance(event.get("data"), dict):
        raise WebhookError("The message is no event")
    return event  # type: ignore[return-value]


def _is_signed(headers: _Headers, content: bytes, keys: Sequence[bytes]) -> bool:
    message, timestamp = _single(headers, "webhook-id"), _single(headers, "webhook-timestamp")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > _TOLERANCE_SECONDS:
        raise WebhookError("The timestamp is not of the last five minutes")
    signed = f"{message}.{timestamp}.".encode("latin-1", "replace") + content
    signatures = [each.encode("utf-8", "replace") for each in _single(headers, "webhook-signature").split(" ")]
    expected = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    return any([hmac.compare_digest(one, other) for one in expected for other in signatures])


def _webhook_key(secret: str) -> bytes:
    """Reads a secret. No error repeats it."""
    text = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("The secret of the webhook is malformed") from None
    return key


def _single(headers: _Headers, name: str) -> str:
    """The value of a header field, to the letter: whoever handles each `webhook-id` once must see the same text."""
    pairs: Iterable[tuple[_Text, _Text]] = headers.items() if hasattr(headers, "items") else headers
    values = [_decode(value) for field, value in pairs if _decode(field).lower() == name]
    if len(values) != 1:
        raise WebhookError(f"The header {name} is missing, or there are several")
    return values[0]
