"""The middlewares of WSGI and ASGI, and FastAPI if it is installed."""

import asyncio
import json
import unittest

from keyward import PUBLIC, Caller, Keyward, Needs, Refused, asgi, fastapi_key, fastapi_refusal, wsgi

from .fakes import VALID, Server, answer

KEY = {"x-api-key": "sk-a"}


def needs(method, path):
    """The rules of the tests: of an application that has the routes `/documents` and `/reports/`."""
    if path == "/health" or (method == "OPTIONS" and path == "/me"):
        return PUBLIC
    if path == "/documents" and method == "GET":
        return Needs(["documents.read"])
    if path == "/documents":
        return Needs(["documents.write"])
    if path == "/reports/":
        return Needs(["reports.read"], cost=7)
    return None if path == "/forgotten" else Needs(cost=0)


class Frameworks(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.keyward = Keyward(self.server.url, "kws_a", 2, lambda error: None)
        self.addCleanup(self.keyward.close)
        self.seen = []

    def call_wsgi(self, method, path, headers=KEY, needs=needs, **environ):
        """Returns the status, the headers and the body, and notes what the application has got."""

        def app(environ, start_response):
            self.seen.append(environ["keyward"])
            start_response("200 OK", [])
            return [b"app"]

        variables = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        given = {"REQUEST_METHOD": method, "PATH_INFO": path, "REMOTE_ADDR": "192.0.2.7", **variables, **environ}
        started = []
        app = wsgi(app, self.keyward, needs) if needs else wsgi(app, self.keyward)
        body = b"".join(app(given, lambda status, headers: started.append((status, dict(headers)))))
        return int(started[0][0].split()[0]), started[0][1], body

    def call_asgi(self, method, path, headers=KEY, needs=needs, kind="http", **scope):
        async def app(scope, receive, send):
            self.seen.append(scope["keyward"])
            if kind == "websocket":
                await send({"type": "websocket.accept"})
            else:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b"app"})

        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        given = {"type": kind, "path": path, "headers": pairs, "client": ("192.0.2.7", 5), **scope}
        if kind == "http":
            given["method"] = method
        sent = []

        async def receive():
            return {"type": f"{kind}.connect"}

        async def send(message):
            sent.append(message)

        app = asgi(app, self.keyward, needs) if needs else asgi(app, self.keyward)
        asyncio.run(app(given, receive, send))
        if kind == "websocket":
            return sent
        fields = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], fields, sent[1]["body"]

    @property
    def both(self):
        return self.call_wsgi, self.call_asgi

    def test_a_caller(self):
        for call in self.both:
            self.assertEqual(call("GET", "/me"), (200, {}, b"app"))
        self.assertEqual(self.seen, [Caller(True, None, 5, 7)] * 2)
        self.assertEqual([question["address"] for question in self.server.questions], ["192.0.2.7"] * 2)

    def test_a_refusal(self):
        for call in self.both:
            status, headers, body = call("GET", "/me", {})
            self.assertEqual((status, json.loads(body)["reason"]), (401, "no_api_key"))
            self.assertEqual(headers["content-length"], str(len(body)))
            self.assertEqual(headers["www-authenticate"], 'Bearer realm="api"')
            self.server.behaviour = answer({**VALID, "valid": False, "reason": "paused"})
            self.assertEqual(call("GET", "/me")[0], 401)
            self.server.behaviour = answer(status="500 Oh")
            self.assertEqual(call("GET", "/me")[0], 503)
        self.assertEqual(self.seen, [])

    def test_the_body_of_head(self):
        status, headers, body = self.call_wsgi("HEAD", "/me", {})
        self.assertEqual((status, body), (401, b""))
        self.assertEqual(headers["content-length"], "88")

    def test_every_request_needs_a_key_by_default(self):
        for call in self.both:
            for method in ("GET", "OPTIONS", "TRACE", "X"):
                for path in ("/", "/health", "/docs", ""):
                    self.assertEqual(call(method, path, {}, None)[0], 401)
            self.assertEqual(call("GET", "/forgotten", {})[0], 401)
            self.assertEqual(call("GET", "/forgotten")[0], 200)

    def test_public_paths(self):
        for call in self.both:
            self.assertEqual(call("GET", "/health", {})[0], 200)
            self.assertEqual(call("GET", "/health", KEY)[0], 200)
            self.assertEqual(call("OPTIONS", "/me", {})[0], 200)
            for path in ("/health/", "/health/x", "/Health", "/health;x", "/healthz", "/health?", "/health%20"):
                self.assertEqual(call("GET", path, {})[0], 401, path)
        self.assertEqual(self.seen, [None] * 6)
        self.assertEqual(self.server.requests, [])

    def test_what_a_request_needs(self):
        table = {
            ("GET", "/documents"): (["documents.read"], 0),
            ("HEAD", "/documents"): (["documents.read"], 0),
            ("get", "/documents"): (["documents.read"], 0),
            ("head", "/documents"): (["documents.read"], 0),
            ("GET", "/documents/"): (["documents.read"], 0),
            ("POST", "/documents/"): (["documents.write"], 0),
            ("GET", "/reports/"): (["reports.read"], 7),
            ("GET", "/reports"): (["reports.read"], 7),
            ("GET", "/reports/x"): ([], 0),
            ("GET", "/"): ([], 0),
        }
        for call in self.both:
            for (method, path), expected in table.items():
                self.server.requests.clear()
                self.assertEqual(call(method, path)[0], 200)
                question = self.server.questions[0]
                self.assertEqual((question["permissions"], question["cost"]), expected, (method, path))

    def test_ambiguous_paths(self):
        paths = [
            "//",
            "//documents",
            "/x//documents",
            "/./documents",
            "/x/../documents",
            "/documents/.",
            "/documents/..",
        ]
        paths += ["/documents\n", "/documents\0", "/docu\tments", "/documents\x7f", "\\documents", "/\\documents"]
        paths += ["documents", "http://x/documents", "*", "/x\\..\\documents", "\n/documents"]
        for call in self.both:
            for path in paths:
                status, headers, body = call("GET", path)
                self.assertEqual((status, json.loads(body)["reason"]), (400, "ambiguous_path"), path)
                self.assertEqual(headers["content-type"], "application/problem+json")
            for path in ("/...", "/.well-known/x", "/a.b/c..d", "/a;b", "/100%", "/é".encode().decode("latin-1")):
                self.assertEqual(call("GET", path)[0], 200, path)
        self.assertEqual(self.call_wsgi("GET", "/\xff")[0], 400)
        self.assertEqual(len(self.server.requests), 12)

    def test_paths_are_decoded_as_applications_do(self):
        asked = []
        text = "/dokumente/größe"
        for call, path in ((self.call_wsgi, text.encode().decode("latin-1")), (self.call_asgi, text)):
            call("GET", path, needs=lambda method, path: asked.append(path))
        self.assertEqual(asked, [text, f"{text}/"] * 2)

    def test_the_root_path(self):
        for path, root in (("/api/documents", "/api"), ("/documents", "/api"), ("/api/documents", "/api/")):
            self.server.requests.clear()
            self.call_asgi("GET", path, root_path=root)
            self.assertEqual(self.server.questions[0]["permissions"], ["documents.read"])
        self.server.requests.clear()
        self.assertEqual(self.call_asgi("GET", "/apihealth", {}, root_path="/api")[0], 401)
        self.assertEqual(self.call_asgi("GET", "/api", root_path="/api")[0], 200)

    def test_a_path_is_public_only_if_it_is_with_and_without_the_root_path(self):
        public = ("/health", "/api/health")
        one = lambda method, path: PUBLIC if path == "/health" else Needs()  # noqa: E731
        both = lambda method, path: PUBLIC if path in public else Needs()  # noqa: E731
        for root in ("/api", "/api/"):
            self.assertEqual(self.call_asgi("GET", "/api/health", {}, one, root_path=root)[0], 401)
            self.assertEqual(self.call_asgi("GET", "/api/health", {}, both, root_path=root)[0], 200)
        # As versions of Starlette do that have taken the root path away already.
        self.assertEqual(self.call_asgi("GET", "/admin/health", {}, one, root_path="/admin")[0], 401)

    def test_the_root_path_that_an_application_sets_later(self):
        class Application:
            root_path = "/api"

            async def __call__(self, scope, receive, send):
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b""})

        sent = []

        async def send(message):
            sent.append(message)

        async def receive():
            return {"type": "http.request"}

        needs = lambda method, path: Needs(["documents.read"] if path == "/documents" else [])  # noqa: E731
        scope = {"type": "http", "method": "GET", "path": "/api/documents", "headers": [(b"x-api-key", b"sk-a")]}
        asyncio.run(asgi(Application(), self.keyward, needs)(scope, receive, send))
        self.assertEqual(sent[0]["status"], 200)
        self.assertEqual(self.server.questions[0]["permissions"], ["documents.read"])

    def test_needs_that_fail_let_nobody_pass(self):
        def fails(method, path):
            raise KeyError(path)

        for call in self.both:
            for wrong in (
                fails,
                lambda method, path: True,
                lambda method, path: "documents.read",
                lambda method, path: "",
            ):
                with self.assertRaises((KeyError, AttributeError)):
                    call("GET", "/me", needs=wrong)
        self.assertEqual(self.seen, [])

    def test_several_fields(self):
        self.assertEqual(self.call_wsgi("GET", "/me", {"x-api-key": "sk-a,sk-a"})[0], 200)
        self.server.behaviour = answer({**VALID, "valid": False, "reason": "not_found"})
        self.assertEqual(self.call_wsgi("GET", "/me", {"x-api-key": "sk-a,sk-b"})[0], 401)
        self.assertEqual(self.call_wsgi("GET", "/me", {"authorization": "Bearer a,Bearer b"})[0], 401)

    def test_clients_without_an_address(self):
        self.call_wsgi("GET", "/me", REMOTE_ADDR="")
        for client in (None, ("", 0), ("testclient", 5), ["/run/socket", None]):
            self.assertEqual(self.call_asgi("GET", "/me", client=client)[0], 200)
        self.assertEqual([question.get("address") for question in self.server.questions], [None] * 5)

    def test_what_a_client_sends_is_not_taken_for_the_caller(self):
        for call in self.both:
            call("GET", "/health", {"keyward": "x", "http-keyward": "x"}, **{"keyward": "forged"})
        self.assertEqual(self.seen, [None, None])

    def test_websockets(self):
        sent = self.call_asgi("", "/me", kind="websocket")
        self.assertEqual(sent, [{"type": "websocket.accept"}])
        self.assertEqual(self.seen, [Caller(True, None, 5, 7)])
        self.assertEqual(self.call_asgi("", "/me", {}, kind="websocket"), [{"type": "websocket.close", "code": 1008}])
        sent = self.call_asgi("", "/me", {}, kind="websocket", extensions={"websocket.http.response": {}})
        self.assertEqual((sent[0]["type"], sent[0]["status"]), ("websocket.http.response.start", 401))
        self.assertIn(b"no_api_key", sent[1]["body"])
        self.call_asgi("", "/documents", kind="websocket")
        self.assertEqual(self.server.questions[-1]["permissions"], ["documents.read"])
        self.assertEqual(len(self.seen), 2)

    def test_lifespan(self):
        seen = []

        async def app(scope, receive, send):
            seen.append(scope)

        scope = {"type": "lifespan"}
        asyncio.run(asgi(app, self.keyward)(scope, None, None))
        self.assertIs(seen[0], scope)
        with self.assertRaises(ValueError):
            asyncio.run(asgi(app, self.keyward)({"type": "webtransport", "path": "/"}, None, None))
        self.assertEqual(len(seen), 1)


try:
    from fastapi import Depends, FastAPI, WebSocket
except (ImportError, TypeError):  # Or a version for another Python.
    FastAPI = None


@unittest.skipUnless(FastAPI, "FastAPI is not installed")
class FastApi(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)
        keyward = Keyward(self.server.url, "kws_a", 2, lambda error: None)
        self.addCleanup(keyward.close)
        app = FastAPI()
        app.add_exception_handler(Refused, fastapi_refusal)
        reads = fastapi_key(keyward, ["documents.read"], 3)

        @app.get("/documents")
        def documents(caller: Caller = Depends(reads)):
            return {"user_id": caller.user_id}

        @app.websocket("/socket")
        async def socket(websocket: WebSocket, caller: Caller = Depends(reads)):
            await websocket.accept()

        self.app = app

    def call(self, kind="http", path="/documents", headers=((b"x-api-key", b"sk-a"),)):
        sent = []
        came = iter([{"type": "websocket.connect"}] if kind == "websocket" else [{"type": "http.request", "body": b""}])

        async def receive():
            return next(came)

        async def send(message):
            sent.append(message)

        scope = {"type": kind, "path": path, "headers": list(headers), "client": ("192.0.2.7", 5), "query_string": b""}
        scope.update({"method": "GET", "root_path": "", "scheme": "http", "server": None, "subprotocols": []})
        asyncio.run(self.app({**scope, "http_version": "1.1"}, receive, send))
        return sent

    def test_a_caller(self):
        sent = self.call()
        self.assertEqual((sent[0]["status"], sent[1]["body"]), (200, b'{"user_id":7}'))
        expected = {"key": "sk-a", "permissions": ["documents.read"], "cost": 3, "address": "192.0.2.7"}
        self.assertEqual(self.server.questions, [expected])

    def test_refusals(self):
        sent = self.call(headers=[])
        headers = dict(sent[0]["headers"])
        self.assertEqual((sent[0]["status"], headers[b"content-type"]), (401, b"application/problem+json"))
        self.assertEqual(headers[b"www-authenticate"], b'Bearer realm="api"')
        self.assertEqual(json.loads(sent[1]["body"])["reason"], "no_api_key")
        two = self.call(headers=[(b"x-api-key", b"a"), (b"x-api-key", b"b")])
        self.assertEqual((two[0]["status"], json.loads(two[1]["body"])["reason"]), (401, "invalid_api_key"))
        self.server.behaviour = answer(status="500 Oh")
        sent = self.call()
        self.assertEqual((sent[0]["status"], dict(sent[0]["headers"])[b"retry-after"]), (503, b"1"))

    def test_websockets(self):
        self.assertEqual(self.call("websocket", "/socket")[0]["type"], "websocket.accept")
        sent = self.call("websocket", "/socket", [])
        self.assertEqual((sent[0]["type"], sent[0]["code"], len(sent)), ("websocket.close", 1008, 1))

    def test_without_the_handler_nobody_passes(self):
        self.app = FastAPI()
        keyward = Keyward(self.server.url, "kws_a")

        @self.app.get("/documents")
        def documents(caller: Caller = Depends(fastapi_key(keyward))):
            return {}

        with self.assertRaises(Refused):
            self.call(headers=[])

    def test_the_description(self):
        description = self.app.openapi()
        schemes = description["components"]["securitySchemes"]
        self.assertEqual(schemes["ApiKey"], {"type": "apiKey", "in": "header", "name": "X-API-Key"})
        self.assertEqual(schemes["ApiKeyAsBearer"], {"type": "http", "scheme": "bearer"})
        route = description["paths"]["/documents"]["get"]
        self.assertEqual(route["security"], [{"ApiKey": []}, {"ApiKeyAsBearer": []}])
        self.assertNotIn("parameters", route)

    def test_malformed_needs(self):
        with self.assertRaises(ValueError):
            fastapi_key(Keyward(self.server.url, "kws_a"), "documents.read")


if __name__ == "__main__":
    unittest.main()
