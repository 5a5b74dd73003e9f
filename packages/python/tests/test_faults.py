"""Time, retries, the circuit, connections, and what happens while Keyward is away."""

import asyncio
import concurrent.futures
import contextlib
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from unittest import mock

from keyward import Caller, Keyward, KeywardError, Refusal

from .fakes import BOTH, VALID, Server, answer, drip, on_loop, reset, sync

REFUSE = {"x-api-key": "a"}
TIMEOUT = 0.5


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def hang(_connection, _request):
    time.sleep(8)


@contextlib.contextmanager
def full_listener():
    """A listener that accepts nothing, with its queue full: connecting to it hangs."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            filler = stack.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        time.sleep(0.05)
        yield listener.getsockname()[1]


class Faults(unittest.TestCase):
    def setUp(self):
        self.errors = []

    def ask(self, url, timeout=TIMEOUT, credential="kws_secret"):
        keyward = Keyward(url, credential, timeout, self.errors.append)
        self.addCleanup(keyward.close)
        return keyward

    def serve(self, behaviour=None, **options):
        server = Server(behaviour, **options)
        self.addCleanup(server.stop)
        return server

    def unavailable(self, got):
        self.assertIsInstance(got, Refusal)
        self.assertEqual(got.status, 503)

    def in_time(self, keyward, call, least=0.0, most=TIMEOUT + 4):
        began = time.monotonic()
        self.unavailable(call(keyward, "check", REFUSE))
        took = time.monotonic() - began
        self.assertLess(took, most)
        self.assertGreaterEqual(took, least)

    # Time

    def test_drips(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"
        chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

        def after(sent, dripped):
            def behave(connection, request):
                connection.sendall(sent)
                return drip(dripped)(connection, request)

            return behave

        for behaviour in (
            *(drip(b"HTTP/1.1 200 " + b"x" * 500), after(head[:17], b"A: b\r\n" * 100), after(head, b" " * 500)),
            *(after(chunks, b"1\r\n \r\n" * 100), after(chunks + b"0\r\n", b"A: b\r\n" * 100)),
            *(after(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 500), hang, drip(b"HTTP/1.1 100 C\r\n\r\n" * 40)),
        ):
            for call in BOTH:
                server = self.serve(behaviour)
                self.in_time(self.ask(server.url), call, TIMEOUT - 0.02)
                self.assertEqual(len(server.requests), 1)
        self.assertIn("within 0.5 seconds", str(self.errors[0]))

    def test_connecting_hangs(self):
        with full_listener() as port:
            for call in BOTH:
                self.in_time(self.ask(f"http://127.0.0.1:{port}"), call, TIMEOUT - 0.02)

    def test_the_name_server_hangs(self):
        real = socket.getaddrinfo

        def hangs(host, *arguments, **options):
            if not options.get("flags"):
                time.sleep(3)
            return real(host, *arguments, **options)

        with mock.patch("socket.getaddrinfo", hangs):
            keyward = self.ask("http://keyward.invalid")
            before = threading.active_count()
            with concurrent.futures.ThreadPoolExecutor(20) as pool:
                list(pool.map(lambda _: self.in_time(keyward, sync, TIMEOUT - 0.02), range(4)))
                self.assertLessEqual(threading.active_count(), before + 20 + 1)

            async def many():
                other = self.ask("http://keyward.invalid")
                began, before = time.monotonic(), threading.active_count()
                got = await asyncio.gather(*[other.check_async(REFUSE) for _ in range(50)])
                self.assertLess(time.monotonic() - began, TIMEOUT + 4)
                self.assertLessEqual(threading.active_count(), before + 1)
                for each in got:
                    self.unavailable(each)

            asyncio.run(many())

    # Retries

    def test_nobody_listens(self):
        keyward = self.ask(f"http://127.0.0.1:{free_port()}", 5)
        for call in BOTH:
            self.in_time(keyward, call, 0.08, 2)
        self.assertIn("refused", str(self.errors[0]))

    def test_an_unknown_host(self):
        lookups = []

        def unknown(*_arguments, **options):
            if not options.get("flags"):
                lookups.append(1)
            raise socket.gaierror(socket.EAI_NONAME, "unknown")

        with mock.patch("socket.getaddrinfo", unknown):
            for call in BOTH:
                lookups.clear()
                keyward = self.ask("http://keyward.invalid", 10)
                for _ in range(7):
                    self.unavailable(call(keyward, "check", REFUSE))
                # Two tries each, until the circuit opens.
                self.assertEqual(len(lookups), 10)

    def test_keyward_starts_between_two_tries(self):
        for call in BOTH:
            port = free_port()
            timer = threading.Timer(0.05, lambda port=port: self.serve(port=port))
            timer.start()
            self.assertIsInstance(call(self.ask(f"http://127.0.0.1:{port}"), "check", REFUSE), Caller)
            timer.join()

    def test_the_first_of_two_addresses_is_dead(self):
        server = self.serve()
        with full_listener() as port:
            real = socket.getaddrinfo

            def two(host, _port, *arguments, **options):
                if options.get("flags"):
                    raise socket.gaierror("no number")
                return [
                    entry for each in (port, server.port) for entry in real("127.0.0.1", each, *arguments, **options)
                ]

            with mock.patch("socket.getaddrinfo", two):
                for call in BOTH:
                    self.assertIsInstance(call(self.ask("http://keyward.invalid", 2), "check", REFUSE), Caller)

    def test_a_connection_that_hangs_leaves_time_for_another_try(self):
        server = self.serve()
        with full_listener() as port:
            real = socket.getaddrinfo
            ports = iter([port, server.port] * 2)

            def changing(_host, _port, *arguments, **options):
                if options.get("flags"):
                    raise socket.gaierror("no number")
                return real("127.0.0.1", next(ports), *arguments, **options)

            with mock.patch("socket.getaddrinfo", changing):
                for call in BOTH:
                    self.assertIsInstance(call(self.ask("http://keyward.invalid", 1.2), "check", REFUSE), Caller)

    # The circuit

    def test_the_circuit(self):
        for call in BOTH:
            server = self.serve(answer(status="500 Oh"))
            keyward = self.ask(server.url)
            self.errors.clear()
            for _ in range(4):
                self.unavailable(call(keyward, "check", REFUSE))
            server.behaviour = answer()
            self.assertIsInstance(call(keyward, "check", REFUSE), Caller)
            server.behaviour = answer(status="500 Oh")
            for _ in range(5):
                self.unavailable(call(keyward, "check", REFUSE))
            self.assertEqual((len(server.requests), len(self.errors)), (10, 9))
            opened = time.monotonic()
            for _ in range(50):
                self.unavailable(call(keyward, "check", REFUSE))
            self.assertLess(time.monotonic() - opened, 1)
            self.assertEqual((len(server.requests), len(self.errors)), (10, 9))
            # One tries, and fails.
            time.sleep(max(opened + 2.05 - time.monotonic(), 0))
            for _ in range(3):
                self.unavailable(call(keyward, "check", REFUSE))
            self.assertEqual(len(server.requests), 11)
            # Then one tries, and succeeds.
            server.behaviour = answer()
            time.sleep(2.05)
            for _ in range(3):
                self.assertIsInstance(call(keyward, "check", REFUSE), Caller)

    def test_what_began_before_the_circuit_opened_says_nothing(self):
        for late in (answer(), answer(status="500 Oh")):

            def slow(connection, _request, late=late):
                time.sleep(1)
                connection.sendall(late)

            server = self.serve(slow)
            keyward = self.ask(server.url, 5)
            with concurrent.futures.ThreadPoolExecutor() as pool:
                early = [pool.submit(keyward.check, REFUSE) for _ in range(6)]
                time.sleep(0.3)
                server.behaviour = answer(status="500 Oh")
                for _ in range(5):
                    self.unavailable(keyward.check(REFUSE))
                opened = time.monotonic()
                for each in early:
                    each.result()
            # It neither closes the circuit nor keeps it open for longer.
            self.unavailable(keyward.check(REFUSE))
            self.assertEqual(len(server.requests), 11)
            server.behaviour = answer()
            time.sleep(max(opened + 2.05 - time.monotonic(), 0))
            self.assertIsInstance(keyward.check(REFUSE), Caller)

    def test_requests_that_wait_for_their_turn(self):
        """Some give up, and the others go on."""
        gate = threading.Event()

        def wait(connection, _request):
            gate.wait(5)
            connection.sendall(answer())

        server = self.serve(wait)

        async def steps():
            keyward = self.ask(server.url, 5)
            tasks = [asyncio.ensure_future(keyward.check_async(REFUSE)) for _ in range(84)]
            await asyncio.sleep(0.3)
            self.assertEqual(len(server.requests), 64)
            for task in tasks[64:74]:
                task.cancel()
            await asyncio.sleep(0.1)
            gate.set()
            got = await asyncio.gather(*tasks, return_exceptions=True)
            kinds = [type(each) for each in got]
            self.assertEqual(kinds, [Caller] * 64 + [asyncio.CancelledError] * 10 + [Caller] * 10)
            self.assertEqual(keyward._state()._busy, 0)
            self.assertEqual(len(keyward._state()._waiting), 0)

        asyncio.run(steps())

    def test_one_request_tries(self):
        server = self.serve(answer(status="500 Oh"))
        keyward = self.ask(server.url, 2)
        for _ in range(5):
            keyward.check(REFUSE)

        def slow(connection, _request):
            time.sleep(1)
            connection.sendall(answer())

        server.behaviour = slow
        time.sleep(2.05)
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            began = time.monotonic()
            got = list(pool.map(lambda _: (keyward.check(REFUSE), time.monotonic() - began), range(20)))
        passed = [took for each, took in got if isinstance(each, Caller)]
        self.assertEqual((len(passed), len(server.requests)), (1, 6))
        self.assertLess(max(took for each, took in got if isinstance(each, Refusal)), 0.8)
        self.assertIsInstance(keyward.check(REFUSE), Caller)

    def test_a_cancelled_trial_lets_another_try(self):
        server = self.serve(answer(status="500 Oh"))

        async def steps():
            keyward = self.ask(server.url, 3)
            for _ in range(5):
                await keyward.check_async(REFUSE)
            server.behaviour = hang
            await asyncio.sleep(2.05)
            trial = asyncio.ensure_future(keyward.check_async(REFUSE))
            await asyncio.sleep(0.1)
            trial.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await trial
            server.behaviour = answer()
            self.assertIsInstance(await keyward.check_async(REFUSE), Caller)

        asyncio.run(steps())

    def test_cancelled_requests_do_not_open_the_circuit(self):
        server = self.serve(hang)

        async def steps():
            keyward = self.ask(server.url, 5)
            tasks = [asyncio.ensure_future(keyward.check_async(REFUSE)) for _ in range(100)]
            await asyncio.sleep(0.2)
            self.assertLessEqual(server.most_open, 64)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            server.behaviour = answer()
            # Their connections are closed, and all turns are free again.
            self.assertEqual(keyward._state()._busy, 0)
            got = await asyncio.gather(*[keyward.check_async(REFUSE) for _ in range(100)])
            self.assertEqual({type(each) for each in got}, {Caller})

        asyncio.run(steps())
        self.assertEqual(self.errors, [])

    def test_a_failed_trial_of_all_kinds(self):
        """The circuit opens for each kind of fault."""
        for behaviour in (
            lambda connection, _request: reset(connection) or "close",
            answer(b"x"),
            answer(status="302 F"),
        ):
            server = self.serve(behaviour)
            keyward = self.ask(server.url)
            for _ in range(7):
                self.unavailable(keyward.check(REFUSE))
            self.assertEqual(len(server.requests), 5)
        with full_listener() as port:
            keyward = self.ask(f"http://127.0.0.1:{port}", 0.4)
            for _ in range(5):
                self.unavailable(keyward.check(REFUSE))
            self.in_time(keyward, sync, 0, 0.3)

    def test_many_requests_during_an_outage(self):
        for behaviour in (hang, drip(b"x" * 400)):
            server = self.serve(behaviour)
            keyward = self.ask(server.url)
            with concurrent.futures.ThreadPoolExecutor(50) as pool:
                list(pool.map(lambda _: self.in_time(keyward, sync, most=TIMEOUT + 4), range(50)))

            async def many(server=server):
                keyward = self.ask(server.url)
                began = time.monotonic()
                for each in await asyncio.gather(*[keyward.check_async(REFUSE) for _ in range(300)]):
                    self.unavailable(each)
                self.assertLess(time.monotonic() - began, TIMEOUT + 4)

            asyncio.run(many())
            self.assertLessEqual(server.most_open, 64 + 64)

    # Connections

    def test_a_connection_is_used_again(self):
        server = self.serve()
        keyward = self.ask(server.url)
        for _ in range(10):
            for call in BOTH:
                self.assertIsInstance(call(keyward, "check", REFUSE), Caller)
        self.assertEqual((len(server.requests), len(server.connections)), (20, 1))
        keyward.close()
        time.sleep(0.1)
        self.assertEqual(server.open, 0)
        self.assertIsInstance(keyward.check(REFUSE), Caller)

    def test_a_connection_that_was_closed_while_idle(self):
        for call in BOTH:
            for end in ("drop", "stop"):
                server = self.serve()
                keyward = self.ask(server.url)
                with concurrent.futures.ThreadPoolExecutor(8) as pool:
                    list(pool.map(lambda _: call(keyward, "check", REFUSE), range(20)))  # noqa: B023
                count = len(server.requests)
                getattr(server, end)()
                if end == "stop":
                    server = self.serve(port=server.port)
                    count = 0
                time.sleep(0.05)
                for _ in range(3):
                    self.assertIsInstance(call(keyward, "check", REFUSE), Caller)
                self.assertEqual(len(server.requests), count + 3)
        self.assertEqual(self.errors, [])

    def test_connections_that_may_not_be_used_again(self):
        data = answer()
        for behaviour in (
            answer(headers="Connection: close\r\n"),
            answer(headers="Connection: x, Close\r\n"),
            answer(headers="Keep-Alive: timeout=1\r\n"),
            data.replace(b"HTTP/1.1", b"HTTP/1.0"),
            data + b"HTTP/1.1 200 OK\r\n",
            data + data,
        ):
            server = self.serve(behaviour)
            keyward = self.ask(server.url)
            for _ in range(3):
                self.assertIsInstance(keyward.check(REFUSE), Caller)
            self.assertEqual(len(server.connections), 3)

    def test_an_answer_to_nothing_is_never_taken_for_the_next(self):
        def twice(connection, _request):
            connection.sendall(answer({**VALID, "user_id": len(server.requests)}))
            time.sleep(0.05)
            connection.sendall(answer({**VALID, "user_id": 999}))

        server = self.serve(twice)
        keyward = self.ask(server.url)
        for number in (1, 2, 3):
            self.assertEqual(keyward.check(REFUSE).user_id, number)
            time.sleep(0.1)

    def test_a_late_answer_is_never_taken_for_the_next(self):
        def late(connection, _request):
            number = len(server.requests)
            time.sleep(0.7 if number == 1 else 0)
            connection.sendall(answer({**VALID, "user_id": number}))

        for call in BOTH:
            server = self.serve(late)
            keyward = self.ask(server.url)
            self.unavailable(call(keyward, "check", REFUSE))
            time.sleep(0.3)
            self.assertEqual(call(keyward, "check", REFUSE).user_id, 2)

    def test_idle_time(self):
        server = self.serve(answer(headers="Connection: keep-alive\r\nKeep-Alive: timeout=3, max=5\r\n"))
        keyward = self.ask(server.url)
        for pause in (0.5, 0.9, 2.1):
            self.assertIsInstance(keyward.check(REFUSE), Caller)
            time.sleep(pause)
        self.assertEqual(len(server.connections), 1)
        keyward.check(REFUSE)
        self.assertEqual(len(server.connections), 2)

    def test_old_connections_are_closed(self):
        barrier = threading.Barrier(4)

        def together(connection, _request):
            barrier.wait(5)
            connection.sendall(answer(headers="Keep-Alive: timeout=2\r\n"))

        server = self.serve(together)
        keyward = self.ask(server.url, 5)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: keyward.check(REFUSE), range(4)))
        self.assertEqual(server.open, 4)
        server.behaviour = answer(headers="Keep-Alive: timeout=2\r\n")
        time.sleep(1.1)
        keyward.check(REFUSE)
        time.sleep(0.1)
        self.assertEqual(server.open, 1)

    def test_many_threads(self):
        def echo(connection, request):
            number = int(request[1].split(b'"')[3].decode()[1:])
            connection.sendall(answer({**VALID, "user_id": number}))

        server = self.serve(echo)
        keyward = self.ask(server.url, 60)
        with concurrent.futures.ThreadPoolExecutor(100) as pool:
            got = list(pool.map(lambda number: keyward.verify(f"k{number}").user_id, range(2000)))
        self.assertEqual(got, list(range(2000)))
        self.assertLessEqual(server.most_open, 64)
        self.assertEqual(keyward._state()._busy, 0)

        async def many():
            return await asyncio.gather(*[keyward.verify_async(f"k{number}") for number in range(2000)])

        self.assertEqual([each.user_id for each in asyncio.run(many())], list(range(2000)))
        self.assertLessEqual(server.most_open, 64)

    def test_a_forked_process_has_its_own_connections(self):
        server = self.serve()
        keyward = self.ask(server.url)
        keyward.check(REFUSE)
        child = os.fork()
        if child == 0:
            is_right = isinstance(keyward.check(REFUSE), Caller)
            os._exit(0 if is_right else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(len(server.connections), 2)
        keyward.check(REFUSE)
        self.assertEqual(len(server.connections), 2)

    # asyncio

    def test_the_loop_is_not_blocked(self):
        async def beat(ticks):
            while True:
                await asyncio.sleep(0.01)
                ticks.append(time.monotonic())

        async def during(keyward):
            ticks = [time.monotonic()]
            task = asyncio.ensure_future(beat(ticks))
            await keyward.check_async(REFUSE)
            task.cancel()
            self.assertLess(max(b - a for a, b in zip(ticks, ticks[1:])), 0.4)
            self.assertGreater(len(ticks), 10)

        asyncio.run(during(self.ask(self.serve(hang).url)))
        with full_listener() as port:
            asyncio.run(during(self.ask(f"http://127.0.0.1:{port}")))

    def test_cancelling(self):
        server = self.serve(hang)

        async def steps():
            keyward = self.ask(server.url, 5)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(keyward.check_async(REFUSE), 0.2)
            self.assertEqual(len(server.requests), 1)
            self.assertEqual(keyward._state()._busy, 0)
            self.assertEqual(len(keyward._state()._idle), 0)

        asyncio.run(steps())
        self.assertEqual(self.errors, [])

    def test_a_loop_without_readers(self):
        """Such as the one of Windows."""
        server = self.serve()

        async def steps():
            loop = asyncio.get_running_loop()
            for name in ("add_reader", "add_writer"):
                setattr(loop, name, mock.Mock(side_effect=NotImplementedError))
            return await self.ask(server.url).check_async(REFUSE)

        self.assertIsInstance(asyncio.run(steps()), Caller)

    # Names, TLS, proxies

    @unittest.skipUnless(socket.has_ipv6, "no IPv6")
    def test_ipv6(self):
        try:
            server = self.serve(host="::1")
        except OSError as error:
            self.skipTest(str(error))
        for call in BOTH:
            self.assertIsInstance(call(self.ask(server.url), "check", REFUSE), Caller)
        self.assertIn(f"Host: [::1]:{server.port}\r\n", server.requests[0][0])

    def test_a_name(self):
        server = self.serve()
        for call in BOTH:
            keyward = self.ask(f"http://localhost:{server.port}")
            self.assertIsInstance(call(keyward, "check", REFUSE), Caller)

    def test_proxies_of_the_environment_are_not_used(self):
        server, proxy = self.serve(), self.serve()
        names = ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy")
        with mock.patch.dict(os.environ, dict.fromkeys(names, proxy.url)):
            self.assertIsInstance(self.ask(server.url).check(REFUSE), Caller)
        self.assertEqual(len(proxy.requests), 0)


@unittest.skipUnless(shutil.which("openssl"), "openssl makes the certificates")
class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        names = {"right": "IP:127.0.0.1,DNS:localhost", "wrong": "DNS:other.example", "named": "DNS:localhost"}
        for name, subject in names.items():
            files = ["-keyout", f"{cls.folder.name}/{name}.key", "-out", f"{cls.folder.name}/{name}.crt"]
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=test"]
                + ["-addext", f"subjectAltName={subject}", *files],
                check=True,
                capture_output=True,
            )

    def setUp(self):
        self.errors = []

    def serve(self, name, behaviour=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{self.folder.name}/{name}.crt", f"{self.folder.name}/{name}.key")
        server = Server(behaviour, context=context)
        self.addCleanup(server.stop)
        return server

    def ask(self, url, trusted, timeout=2.0):
        with mock.patch.dict(os.environ, {"SSL_CERT_FILE": f"{self.folder.name}/{trusted}.crt"}):
            keyward = Keyward(url, "kws_secret", timeout, self.errors.append)
        self.addCleanup(keyward.close)
        return keyward

    def test_a_trusted_certificate(self):
        server = self.serve("right")
        for url in (server.url, server.url.replace("127.0.0.1", "localhost")):
            keyward = self.ask(url, "right")
            for _ in range(3):
                for call in BOTH:
                    got = call(keyward, "check", REFUSE)
                    self.assertIsInstance(got, Caller, self.errors)
        self.assertEqual((len(server.connections), self.errors), (2, []))

    def test_a_connection_that_was_closed_while_idle(self):
        server = self.serve("right")
        keyward = self.ask(server.url, "right")
        for _ in range(3):
            self.assertIsInstance(keyward.check(REFUSE), Caller)
            server.drop()
            time.sleep(0.05)
        self.assertEqual(len(server.requests), 3)

    def test_other_certificates(self):
        for name, trusted in (("right", "wrong"), ("wrong", "wrong"), ("named", "named")):
            for call in BOTH:
                server = self.serve(name)
                self.errors.clear()
                self.assertEqual(call(self.ask(server.url, trusted), "check", REFUSE).status, 503)
                self.assertIn("certificate", str(self.errors[0]).lower())
                # A second try would be of no use.
                self.assertEqual((server.requests, server.accepted), ([], 1))

    def test_a_certificate_for_a_name(self):
        server = self.serve("named")
        url = server.url.replace("127.0.0.1", "localhost")
        for call in BOTH:
            self.assertIsInstance(call(self.ask(url, "named"), "check", REFUSE), Caller)

    def test_time(self):
        plain = Server(hang)
        self.addCleanup(plain.stop)
        slow = self.serve("right", drip(answer(b" " * 500)))
        listener = socket.socket()
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # It accepts, and never greets.
        silent = f"https://127.0.0.1:{listener.getsockname()[1]}"
        for url in (slow.url, silent):
            for call in BOTH:
                began = time.monotonic()
                self.assertEqual(call(self.ask(url, "right", TIMEOUT), "check", REFUSE).status, 503)
                self.assertLess(time.monotonic() - began, TIMEOUT + 4)

    def test_a_server_without_tls(self):
        def greet(connection, _request):
            return "close"

        listener = socket.socket()
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    connection = listener.accept()[0]
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    connection.close()

        threading.Thread(target=accept, daemon=True).start()
        for call in BOTH:
            keyward = self.ask(f"https://127.0.0.1:{listener.getsockname()[1]}", "right")
            with self.assertRaises(KeywardError):
                call(keyward, "verify", "a")

    def test_many(self):
        server = self.serve("right")
        keyward = self.ask(server.url, "right", 60)

        async def many():
            return await asyncio.gather(*[keyward.verify_async("a") for _ in range(200)])

        self.assertEqual({type(each) for each in asyncio.run(many())}, {Caller})
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            self.assertEqual({type(each) for each in pool.map(lambda _: keyward.verify("a"), range(200))}, {Caller})
        self.assertLessEqual(server.most_open, 64)


if __name__ == "__main__":
    unittest.main()
