"""What Keyward is asked, and what its answers mean."""

import asyncio
import datetime
import gc
import json
import time
import unittest
from unittest import mock

from keyward import Caller, Keyward, KeywardError, Needs, Refusal

from .fakes import BOTH, VALID, Server, answer, reset

FULL = {
    **VALID,
    "owner_kind": "organization",
    "organization_id": "acme",
    "expires_at": "2099-01-31T12:00:00.000Z",
    "name": "Laptop",
    "permissions": ["documents.*"],
    "metadata": {"team": "search"},
    "plan": "pro",
    "entitlement": {
        "metadata": {"a": 1},
        "rate_limit": None,
        "quota": {"limit": 9, "remaining": 8, "refills_at": None},
    },
    "automation": {"is_enabled": True, "session_duration": 3600},
    "rate_limit": {"limit": 100, "remaining": 99, "resets_at": "2026-01-31T12:01:00.000Z"},
    "quota": None,
    "stale": True,
    "assertion": None,
    "of_a_later_version": [1],
}


def in_seconds(seconds):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def refused(reason, **rest):
    return {**VALID, "valid": False, "reason": reason, **rest}


class Asking(unittest.TestCase):
    def setUp(self):
        self.errors = []
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.keyward = self.ask(self.server.url)

    def ask(self, url, credential="kws_secret", timeout=2):
        keyward = Keyward(url, credential, timeout, self.errors.append)
        self.addCleanup(keyward.close)
        return keyward

    def test_the_question(self):
        keyward = self.ask(self.server.url + "/gateway/")
        keyward.verify("sk-a", ["a.b", "c", "a.b"], 0, "fe80::1%eth0")
        keyward.verify("sk-a")
        (head, _), _ = self.server.requests
        self.assertEqual(head.split("\r\n")[0], "POST /gateway/api/v1/keys/verify HTTP/1.1")
        self.assertIn(f"Host: 127.0.0.1:{self.server.port}\r\n", head)
        self.assertIn("\r\nAuthorization: Bearer kws_secret\r\n", head)
        expected = {"key": "sk-a", "permissions": ["a.b", "c"], "cost": 0, "address": "fe80::1"}
        self.assertEqual(self.server.questions, [expected, {"key": "sk-a", "permissions": []}])

    def test_addresses(self):
        given = [
            "192.0.2.7",
            "::FFFF:192.0.2.7",
            "",
            "unix:/run/a",
            "1.2.3.4:80",
            "testclient",
            "1.2.3",
            "٣.1.1.1",
            None,
        ]
        for address in given:
            self.keyward.verify("sk-a", address=address)
        found = [question.get("address") for question in self.server.questions]
        self.assertEqual(found[0], "192.0.2.7")
        self.assertRegex(found[1], "(?i)^::ffff:")
        self.assertEqual(found[2:], [None] * 7)

    def test_all_fields(self):
        self.server.behaviour = answer(FULL)
        caller = self.keyward.verify("sk-a")
        self.assertIsInstance(caller, Caller)
        self.assertEqual((caller.valid, caller.reason, caller.key_id, caller.user_id), (True, None, 5, 7))
        self.assertEqual((caller.owner_kind, caller.organization_id), ("organization", "acme"))
        self.assertEqual(caller.expires_at, datetime.datetime(2099, 1, 31, 12, tzinfo=datetime.timezone.utc))
        self.assertEqual(
            (caller.name, caller.permissions, caller.metadata), ("Laptop", ("documents.*",), {"team": "search"})
        )
        self.assertEqual((caller.plan, caller.entitlement.metadata), ("pro", {"a": 1}))
        self.assertEqual((caller.entitlement.quota.remaining, caller.entitlement.quota.refills_at), (8, None))
        self.assertEqual((caller.automation.is_enabled, caller.automation.session_duration), (True, 3600))
        self.assertEqual((caller.rate_limit.limit, caller.rate_limit.remaining), (100, 99))
        self.assertEqual(caller.rate_limit.resets_at.minute, 1)
        self.assertEqual((caller.quota, caller.stale), (None, True))

    def test_fields_of_the_wrong_type_are_left_out(self):
        wrong = {name: 1.5 for name in FULL if name not in VALID}
        self.server.behaviour = answer({**FULL, **wrong})
        self.assertEqual(self.keyward.verify("sk-a"), Caller(True, None, 5, 7))

    def test_numbers_of_any_length_in_what_an_owner_writes(self):
        for text in ("100000000000000000000", "-10000000000000000000", "1" * 400, "1e308", "-0.5"):
            metadata = f'{{"n": {text}}}'
            body = json.dumps({**VALID, "metadata": "HERE"}).replace('"HERE"', metadata)
            self.server.behaviour = answer(body.encode())
            for _ in range(6):
                self.assertEqual(self.keyward.verify("sk-a").metadata["n"], float(text))
            self.server.behaviour = answer(body.replace('"key_id": 5', f'"key_id": {text}').encode())
            with self.assertRaises(KeywardError):
                self.keyward.verify("sk-a")
        self.assertEqual(len(self.errors), 5)

    def test_refusals(self):
        def limits():
            rate, quota = {"resets_at": in_seconds(29.9)}, {"refills_at": in_seconds(59.9)}
            shared = {"rate_limit": {"resets_at": in_seconds(-5)}, "quota": quota}
            return {"rate_limit": rate, "quota": {"refills_at": None}, "entitlement": shared}

        wrong = (401, "invalid_api_key", "Could not validate credentials", ', error="invalid_token"', None)
        table = {
            **dict.fromkeys(["not_found", "inactive", "expired", "rotated", "paused"], wrong),
            "account_blocked": (403, None, "The account of this API key is blocked", None, None),
            "address_not_allowed": (403, None, "The API key may not be used from this address", None, None),
            "insufficient_permissions": (
                *(403, None, "The API key needs the permissions: a.read b", ', error="insufficient_scope"', None),
            ),
            "rate_limited": (429, None, "The API key exceeded its rate limit. Retry in 30 seconds.", None, "30"),
            "account_rate_limited": (
                *(429, None, "The API keys of this account exceeded their rate limit. Retry in 1 seconds.", None, "1"),
            ),
            "quota_exceeded": (429, None, "The quota of the API key is used up. Retry in 3600 seconds.", None, "3600"),
            "account_quota_exceeded": (
                429,
                None,
                "The quota of the account is used up. Retry in 60 seconds.",
                None,
                "60",
            ),
            "of_a_later_version": (403, None, "The API key may not be used for this request", None, None),
        }
        titles = {401: "Unauthorized", 403: "Forbidden", 429: "Too Many Requests"}
        for reason, (status, shown, detail, challenge, wait) in table.items():
            for call in BOTH:
                with self.subTest(reason, call=call.__name__):
                    self.server.behaviour = answer(refused(reason, **limits()))
                    got = call(self.keyward, "check", {"x-api-key": "sk-a"}, None, ["a.read", "b"])
                    headers = {"content-type": "application/problem+json", "cache-control": "no-store"}
                    if challenge is not None:
                        headers["www-authenticate"] = 'Bearer realm="api"' + challenge
                    if wait:
                        headers["retry-after"] = wait
                    self.assertEqual((got.status, got.headers), (status, headers))
                    document = {"title": titles[status], "status": status, "detail": detail, "reason": shown or reason}
                    self.assertEqual(got.body.decode(), json.dumps(document, separators=(",", ":")))
        self.assertEqual(self.errors, [])

    def test_limits_that_are_missing_or_malformed(self):
        for limits in (
            {},
            {"rate_limit": None},
            {"rate_limit": {"resets_at": "soon"}},
            {"rate_limit": {"resets_at": 1}},
        ):
            self.server.behaviour = answer(refused("rate_limited", **limits))
            self.assertEqual(self.keyward.check({"x-api-key": "a"}).headers["retry-after"], "3600")

    def test_a_reason_cannot_add_a_header(self):
        self.server.behaviour = answer(refused("x\r\nset-cookie: a=b"))
        got = self.keyward.check({"x-api-key": "a"})
        self.assertEqual((got.status, len(got.headers)), (403, 2))

    def unavailable(self, got, retry_after="1"):
        self.assertIsInstance(got, Refusal)
        self.assertEqual((got.status, got.headers["retry-after"]), (503, retry_after))
        self.assertEqual(
            got.body,
            b'{"title":"Service Unavailable","status":503,'
            b'"detail":"The API key cannot be checked now. Try again later.","reason":"unavailable"}',
        )

    def test_answers_that_are_not_clear(self):
        """Each is 503, and one request only."""
        big = b'{"valid":true,"key_id":1,"user_id":1,"x":"' + b"x" * 1_100_000 + b'"}'
        ok = json.dumps(VALID).encode()
        table = {
            "valid is a text": answer({**VALID, "valid": "true"}),
            "valid is 1": answer({**VALID, "valid": 1}),
            "valid is missing": answer({"key_id": 1, "user_id": 1, "reason": None}),
            "valid is null": answer({**VALID, "valid": None, "reason": "x"}),
            "valid is 0": answer({**VALID, "valid": 0, "reason": "x"}),
            "no key id": answer({**VALID, "key_id": None}),
            "the key id is true": answer({**VALID, "key_id": True}),
            "the key id is a text": answer({**VALID, "key_id": "5"}),
            "the user id is a fraction": answer({**VALID, "user_id": 1.5}),
            "the user id is missing": answer({"valid": True, "key_id": 1}),
            "refused without a reason": answer({**VALID, "valid": False}),
            "refused with a number": answer({**VALID, "valid": False, "reason": 5}),
            "HTML": answer(b"<html>"),
            "nothing": answer(b""),
            "null": answer(b"null"),
            "a list": answer([VALID]),
            "a text": answer("valid"),
            "truncated": answer(ok[:-1]),
            "two values": answer(ok + ok),
            "NaN": answer(ok[:-1] + b',"x":NaN}'),
            "deep": answer(b'{"x":' * 100_000),
            "not UTF-8": answer(ok[:-1] + b',"x":"\xff"}'),
            "UTF-16": answer(ok.decode().encode("utf-16")),
            "a lone surrogate in the reason, and no more": answer(b'{"valid":false,"reason":"\\ud800"'),
            "204": b"HTTP/1.1 204 No Content\r\n\r\n",
            "201": answer(status="201 Created"),
            "206": answer(status="206 Partial"),
            "500": answer(status="500 Oh"),
            "502 with HTML": answer(b"<html>", status="502 Bad Gateway"),
            "too long": answer(big),
            "too long, it says": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            "too long in chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
            "too long in many chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + b"".join(b"1000\r\n" + b" " * 4096 + b"\r\n" for _ in range(260)),
            "a malformed chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n{}\r\n0\r\n\r\n",
            "a chunk without its end": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}xx0\r\n\r\n",
            "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
            "a length and chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"0\r\n\r\n",
            "another coding": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}",
            "a field without a colon": b"HTTP/1.1 200 OK\r\nContent-Length\r\n\r\n",
            "a folded field": b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
            "a space in a name": b"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n{}",
            "HTTP/2": b"HTTP/2 200\r\n\r\n",
            "no HTTP": b"SSH-2.0-OpenSSH_9\r\n",
            "a status of four digits": b"HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
            "a switch of protocols": b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
            "a long head": b"HTTP/1.1 200 OK\r\n" + b"A: " + b"x" * 70_000 + b"\r\n\r\n",
            "a head without an end": b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 20_000,
            "a line without an end": b"x" * 100_000,
            "endless interim answers": b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000,
        }
        for name, data in table.items():
            for call in BOTH:
                with self.subTest(name, call=call.__name__), Server(data) as server:
                    self.errors.clear()
                    began = time.monotonic()
                    self.unavailable(call(self.ask(server.url), "check", {"x-api-key": "sk-key"}))
                    self.assertLess(time.monotonic() - began, 1.9)
                    self.assertEqual((len(server.requests), len(self.errors)), (1, 1))
                    self.assertNotRegex(str(self.errors[0]), "sk-key|kws_secret|\n")

    def test_connections_that_end(self):
        def part_then(end):
            def behave(connection, _request):
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n" + json.dumps(VALID).encode())
                time.sleep(0.05)
                end(connection)
                return "close"

            return behave

        def at_once(end):
            return lambda connection, _request: end(connection) or "close"

        for behaviour in (
            *(part_then(reset), part_then(lambda connection: connection.close())),
            *(at_once(reset), at_once(lambda connection: connection.close())),
        ):
            for call in BOTH:
                with Server(behaviour) as server:
                    self.unavailable(call(self.ask(server.url), "check", {"x-api-key": "a"}))
                    time.sleep(0.3)
                    # It may have used quota, so it is not sent again.
                    self.assertEqual(len(server.requests), 1)

    def test_a_body_without_length(self):
        def behave(connection, _request):
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + json.dumps(VALID).encode())
            return "close"

        self.server.behaviour = behave
        self.assertTrue(self.keyward.verify("a").valid)

    def test_interim_answers_and_chunks(self):
        body = json.dumps(VALID).encode()
        chunks = b"".join(b"%x;a=b\r\n%s\r\n" % (1, body[at : at + 1]) for at in range(len(body)))
        head = b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200\r\ntransfer-encoding: Chunked\r\n\r\n"
        self.server.behaviour = head + chunks + b"0\r\nTrailer: x\r\n\r\n"
        for call in BOTH:
            self.assertTrue(call(self.keyward, "verify", "a").valid)
        self.assertEqual(len(self.server.connections), 1)

    def test_redirects_are_not_followed(self):
        with Server() as other:
            for status in ("301 Moved", "302 Found", "303 See", "307 Again", "308 For ever"):
                self.server.behaviour = answer(status=status, headers=f"Location: {other.url}/api/v1/keys/verify\r\n")
                self.unavailable(self.ask(self.server.url).check({"x-api-key": "a"}))
            self.assertEqual(other.requests, [])

    def test_refusals_of_keyward_itself(self):
        for status in (400, 401, 403, 404, 413, 415, 422, 429):
            for told, expected in {
                "7": "7",
                "3600": "3600",
                "0": "1",
                "3601": "1",
                "-5": "1",
                "1.5": "1",
                "x": "1",
            }.items():
                self.server.behaviour = answer(status=f"{status} No", headers=f"Retry-After: {told}\r\n")
                self.unavailable(self.keyward.check({"x-api-key": "a"}), expected)
        # None opens the circuit.
        self.server.behaviour = answer()
        self.assertIsInstance(self.keyward.check({"x-api-key": "a"}), Caller)
        self.assertEqual(self.errors[0].status, 400)

    def test_the_error_of_verify(self):
        self.server.behaviour = answer(status="503 Busy", headers="Retry-After: 5\r\n")
        for call in BOTH:
            with self.assertRaises(KeywardError) as caught:
                call(self.keyward, "verify", "sk-a")
            self.assertEqual((caught.exception.status, caught.exception.retry_after), (503, 5))
        self.assertEqual(len(self.errors), 2)

    def test_keys_in_headers(self):
        table = [
            ([("X-API-Key", "sk-a")], "sk-a"),
            ([("x-api-key", " sk-a\t")], "sk-a"),
            ([(b"X-Api-Key", b"sk-a")], "sk-a"),
            ([("Authorization", "Bearer sk-a")], "sk-a"),
            ([("Authorization", "bEARER   sk-a ")], "sk-a"),
            ([("Authorization", "Bearer sk-a"), ("X-API-Key", "sk-a")], "sk-a"),
            ([("X-API-Key", "sk-a"), ("X-API-Key", "sk-a ")], "sk-a"),
            ([("Authorization", "Bearer sk-a"), ("Authorization", "Bearer sk-a")], "sk-a"),
            ([("X-API-Key", "sk-a,sk-a")], "sk-a"),
            ([("X-API-Key", "sk-a"), ("Authorization", "Basic abc")], "sk-a"),
            ([("X-API-Key", "x" * 1000)], "x" * 1000),
            ([], "no_api_key"),
            ([("Authorization", "Basic abc")], "no_api_key"),
            ([("Authorization", "Bearersk-a")], "no_api_key"),
            ([("X_API_Key", "sk-a"), ("XAPIKey", "sk-a"), ("Cookie", "X-API-Key=sk-a")], "no_api_key"),
            ([("X-API-Key", "")], "invalid_api_key"),
            ([("Authorization", "Bearer")], "invalid_api_key"),
            ([("Authorization", "Bearer sk-a"), ("X-API-Key", "sk-b")], "invalid_api_key"),
            ([("Authorization", "Bearer sk-a"), ("X-API-Key", "")], "invalid_api_key"),
            ([("X-API-Key", "sk-a"), ("X-API-Key", "sk-b")], "invalid_api_key"),
            ([("X-API-Key", "sk-a, sk-b")], "invalid_api_key"),
            ([("Authorization", "Basic x"), ("Authorization", "Bearer sk-a")], "invalid_api_key"),
            ([("Authorization", "Basic x"), ("Authorization", "Basic y"), ("X-API-Key", "sk-a")], "invalid_api_key"),
            ([("X-API-Key", "x" * 1001)], "invalid_api_key"),
            *[([("X-API-Key", f"sk{odd}a")], "invalid_api_key") for odd in " \r\n\0é\x7f\x85\ud800😀\ufeff"],
            ([("X-API-Key", "sk-a\r\nX-Admin: 1")], "invalid_api_key"),
            ([(b"X-API-Key", "sk-é".encode())], "invalid_api_key"),
        ]
        for headers, expected in table:
            for form in (headers, iter(headers), dict(headers) if len(dict(headers)) == len(headers) else headers):
                with self.subTest(headers=headers):
                    if isinstance(form, dict) and any(isinstance(name, bytes) for name in form):
                        continue
                    self.server.requests.clear()
                    got = self.keyward.check(form)
                    if isinstance(got, Caller):
                        self.assertEqual([question["key"] for question in self.server.questions], [expected])
                    else:
                        self.assertEqual((got.status, json.loads(got.body)["reason"]), (401, expected))
                        self.assertEqual(self.server.requests, [])
        self.assertEqual(self.errors, [])

    def test_a_text_that_is_no_key(self):
        for key in ("", "a b", "x" * 1001, "\0"):
            self.assertEqual(self.keyward.verify(key).reason, "not_found")
        self.assertEqual(self.server.requests, [])

    def test_malformed_needs(self):
        for permissions in ("documents.read", ["A"], [""], ["x" * 101], [f"a{n}" for n in range(51)], ["a\n"]):
            with self.assertRaises(ValueError):
                Needs(permissions)
            with self.assertRaises(ValueError):
                self.keyward.check({}, None, permissions)
        for cost in (-1, 1_000_001, True, 1.5, "5"):
            with self.assertRaises(ValueError):
                self.keyward.verify("a", (), cost)
        self.assertEqual(Needs(["a", "a", "b.*"], 0).permissions, ("a", "b.*"))

    def test_malformed_options(self):
        for url in (
            "",
            "keys.example.com",
            "ftp://x",
            "http://",
            "http://a@x",
            "http://x?a",
            "http://x#a",
            "http://x/a b",
        ):
            with self.assertRaises(ValueError, msg=url):
                Keyward(url, "kws_a")
        for url in ("http://x\r\n", "http://é", "http://x:99999", "http://[::1", "file:///etc/passwd", "http://a\\@x"):
            with self.assertRaises(ValueError, msg=url):
                Keyward(url, "kws_a")
        for credential in ("", " ", "a b", "a\r\nb", "é", None):
            with self.assertRaises(ValueError):
                Keyward("http://x", credential)
        for timeout in (0, -1, float("nan"), 601):
            with self.assertRaises(ValueError):
                Keyward("http://x", "kws_a", timeout)

    def test_the_function_for_the_credential(self):
        given = iter(["one", "two\n"])
        keyward = self.ask(self.server.url, lambda: next(given))
        keyward.verify("a")
        keyward.verify("a")
        self.assertIn("Bearer one\r\n", self.server.requests[0][0])
        self.assertIn("Bearer two\r\n", self.server.requests[1][0])

        async def later():
            return "three"

        on_loop = BOTH[1]
        on_loop(self.ask(self.server.url, later), "verify", "a")
        self.assertIn("Bearer three\r\n", self.server.requests[2][0])

    def test_the_function_for_the_credential_fails(self):
        def fails():
            raise RuntimeError("kws_secret")

        async def fails_later():
            raise RuntimeError("kws_secret")

        async def hangs():
            await asyncio.sleep(30)

        for credential in (fails, fails_later, hangs, lambda: None, lambda: "kws_secret\r\nx: y", lambda: "kws_é"):
            for call in BOTH:
                keyward = self.ask(self.server.url, credential, 0.2)
                for _ in range(6):
                    self.errors.clear()
                    self.unavailable(call(keyward, "check", {"x-api-key": "a"}))
                    self.assertEqual(len(self.errors), 1, credential)
                    self.assertNotRegex(f"{self.errors[0]!r} {self.errors[0].__cause__!r}", "kws_")
        self.assertEqual(self.server.requests, [])

    def test_a_task_for_the_credential_that_many_share_outlives_them(self):
        async def steps():
            async def renew():
                await asyncio.sleep(0.1)
                return "kws_new"

            shared = asyncio.ensure_future(renew())
            keyward = self.ask(self.server.url, lambda: shared)
            tasks = [asyncio.ensure_future(keyward.verify_async("sk-a")) for _ in range(3)]
            await asyncio.sleep(0.02)
            tasks[0].cancel()
            self.assertEqual([(await task).key_id for task in tasks[1:]], [5, 5])

        asyncio.run(steps())

    def test_an_error_of_the_function_for_the_credential_is_told_to_nobody(self):
        told = []

        async def fails_at_the_end():
            try:
                await asyncio.sleep(30)
            finally:
                raise RuntimeError("kws_secret")

        async def steps():
            asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context))
            keyward = self.ask(self.server.url, fails_at_the_end, 0.1)
            self.unavailable(await keyward.check_async({"x-api-key": "a"}))
            await asyncio.sleep(0.01)
            gc.collect()

        asyncio.run(steps())
        gc.collect()
        self.assertEqual(told, [])

    def test_a_host_that_cannot_be_a_name(self):
        for host in ("a..b", "x" * 64):
            self.unavailable(self.ask(f"http://{host}").check({"x-api-key": "a"}))

    def test_a_slow_function_for_the_credential_is_cancelled(self):
        ends = []

        async def slow():
            try:
                await asyncio.sleep(30)
            finally:
                ends.append(time.monotonic())

        async def steps():
            keyward = self.ask(self.server.url, slow, 0.2)
            self.unavailable(await keyward.check_async({"x-api-key": "a"}))
            await asyncio.sleep(0)
            self.assertEqual(len(ends), 1)
            task = asyncio.ensure_future(keyward.check_async({"x-api-key": "a"}))
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.wait([task])
            await asyncio.sleep(0)
            self.assertEqual(len(ends), 2)

        asyncio.run(steps())

    def test_the_callback_fails(self):
        def fails(_error):
            raise RuntimeError("no")

        keyward = Keyward(self.server.url, "kws_a", on_error=fails)
        self.server.behaviour = answer(status="500 Oh")
        with self.assertLogs("keyward"):
            self.unavailable(keyward.check({"x-api-key": "a"}))
        keyward.close()

    def test_errors_are_logged_by_default(self):
        keyward = Keyward(self.server.url, "kws_secret")
        self.server.behaviour = answer(status="401 No")
        with self.assertLogs("keyward") as logs:
            keyward.check({"x-api-key": "sk-a"})
        self.assertEqual(len(logs.output), 1)
        self.assertNotRegex(logs.output[0], "kws_secret|sk-a|\n")
        self.assertIn("401", logs.output[0])
        keyward.close()

    def test_a_clock_that_jumps(self):
        for jump in (-1e9, 1e9):
            now = time.time() + jump
            with mock.patch("time.time", lambda: now):
                self.assertTrue(self.keyward.verify("a").valid)
        self.assertEqual(len(self.server.connections), 1)


if __name__ == "__main__":
    unittest.main()
