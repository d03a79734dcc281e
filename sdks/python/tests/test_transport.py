from __future__ import annotations

import gc
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, Optional
from unittest import mock

from manilla import ConnectionError, Manilla, ManillaError, ValidationError

from .server import Server, refusal, reply

BALANCES = reply({"items": [{"asset": "NGN", "available": 1}]})


def client(server: Server, **options: Any) -> Manilla:
    manilla = Manilla("sk_test_a", base_url=server.url, **{"timeout": 5.0, **options})
    manilla._core.first_wait_s = 0.001
    return manilla


def without_proxies() -> Dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}


class Kept(unittest.TestCase):
    """Connections that stay open."""

    def test_calls_share_a_connection(self) -> None:
        with Server(BALANCES) as server, client(server) as manilla:
            for _ in range(5):
                self.assertEqual(manilla.balances.list()[0].available, 1)
            self.assertEqual(server.connections, 1)

    def test_threads_never_share_one_at_a_time(self) -> None:
        def slowly(sock: socket.socket) -> None:
            time.sleep(0.05)
            sock.sendall(BALANCES)

        with Server(slowly) as server, client(server) as manilla:
            threads = [threading.Thread(target=manilla.balances.list) for _ in range(10)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(server.received), 10)
            self.assertEqual(len({one.connection for one in server.received}), 10)

    def test_one_that_the_service_closed_is_not_used_again(self) -> None:
        def close_after(sock: socket.socket) -> None:
            sock.sendall(BALANCES)
            sock.close()

        answers: list[float] = []
        with Server(close_after) as server:
            manilla = client(server, on_answer=lambda facts: answers.append(facts.status))
            for _ in range(4):
                manilla.balances.list()
                time.sleep(0.02)
            # No attempt was lost on a dead connection: each got its answer at once.
            self.assertEqual((answers, len(server.received)), ([200] * 4, 4))

    def test_one_that_ends_by_its_answer_is_not_used_again(self) -> None:
        once = reply({"items": []}, Connection="close")
        with Server(once) as server, client(server) as manilla:
            manilla.balances.list()
            manilla.balances.list()
            self.assertEqual(server.connections, 2)

    def test_one_on_which_the_service_spoke_unasked_is_not_used_again(self) -> None:
        def speak(sock: socket.socket) -> None:
            sock.sendall(BALANCES)
            time.sleep(0.05)
            sock.sendall(b"HTTP/1.1 408 Request Timeout\r\n\r\n")
            time.sleep(1)

        with Server(speak, BALANCES) as server, client(server) as manilla:
            manilla.balances.list()
            time.sleep(0.2)
            self.assertEqual(manilla.balances.list()[0].available, 1)
            self.assertEqual(server.connections, 2)

    def test_the_service_says_how_long(self) -> None:
        for hint, connections in (("timeout=72", 1), ("timeout=1", 2), ("max=5", 1)):
            with Server(reply({"items": []}, Keep_Alive=hint)) as server:
                manilla = client(server)
                manilla.balances.list()
                manilla.balances.list()
                self.assertEqual(server.connections, connections, hint)

    def test_an_idle_one_is_given_up_before_the_service_does(self) -> None:
        with Server(BALANCES) as server, client(server) as manilla:
            manilla.balances.list()
            later = time.monotonic() + 60
            with mock.patch("manilla._transport.time.monotonic", lambda: later):
                manilla.balances.list()
            self.assertEqual(server.connections, 2)

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_fork_opens_its_own(self) -> None:
        with Server(BALANCES) as server, client(server) as manilla:
            manilla.balances.list()
            process = os.fork()
            if process == 0:
                manilla.balances.list()
                os._exit(0)
            self.assertEqual(os.waitpid(process, 0)[1], 0)
            manilla.balances.list()
            self.assertEqual([one.connection for one in server.received], [1, 2, 1])

    def test_a_client_that_is_dropped_closes_them(self) -> None:
        with Server(BALANCES) as server, warnings.catch_warnings():
            warnings.simplefilter("error")
            manilla = client(server)
            manilla.balances.list()
            sock = manilla._core.transport._idle[0][0].sock
            del manilla
            gc.collect()
            self.assertEqual(sock.fileno(), -1)

    def test_closing_the_client_closes_them(self) -> None:
        with Server(BALANCES) as server:
            with client(server) as manilla:
                manilla.balances.list()
            manilla.balances.list()
            self.assertEqual(server.connections, 2)


class Deadlines(unittest.TestCase):
    def time_of(self, answer: Callable[[socket.socket], None]) -> float:
        with Server(answer) as server:
            start = time.monotonic()
            with self.assertRaises(ConnectionError) as caught:
                client(server, timeout=0.3, max_retries=0).balances.list()
            self.assertIn("within 300 ms", caught.exception.message)
            return time.monotonic() - start

    def test_silence(self) -> None:
        self.assertLess(self.time_of(lambda sock: time.sleep(2)), 1.5)

    def test_an_answer_in_drips_does_not_extend_it(self) -> None:
        def drip(sock: socket.socket) -> None:
            for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + b" " * 900:
                sock.sendall(bytes([byte]))
                time.sleep(0.05)

        self.assertLess(self.time_of(drip), 1.5)

    def test_a_body_in_drips_does_not_extend_it(self) -> None:
        def drip(sock: socket.socket) -> None:
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n")
            for _ in range(100):
                sock.sendall(b" ")
                time.sleep(0.05)

        self.assertLess(self.time_of(drip), 1.5)

    def test_an_address_that_refuses_leaves_time_for_the_next(self) -> None:
        with Server(BALANCES) as server:
            real = socket.getaddrinfo
            closed = socket.create_server(("127.0.0.1", 0))
            port = closed.getsockname()[1]
            closed.close()

            def both(*given: Any, **named: Any) -> Any:
                good = real(*given, **named)
                return [(*good[0][:4], ("127.0.0.1", port)), *good]

            with mock.patch("socket.getaddrinfo", both):
                self.assertEqual(client(server).balances.list()[0].available, 1)


class Answers(unittest.TestCase):
    def test_numbers_beyond_what_a_float_holds_are_exact(self) -> None:
        with Server(reply({"items": [{"available": 9_007_199_254_740_993}]})) as server:
            self.assertEqual(client(server).balances.list()[0].available, 9_007_199_254_740_993)

    def test_an_early_answer_to_a_body_that_is_not_read(self) -> None:
        def refuse(sock: socket.socket) -> None:
            envelope = {"status": False, "code": "payload_too_large", "message": "Too large."}
            sock.sendall(refusal(envelope, 413, Connection="close"))

        with Server(refuse) as server:
            with self.assertRaises(ValidationError):
                client(server).batches.create_from_csv("a" * 3_000_000)

    def test_an_export_that_breaks_off(self) -> None:
        def half(sock: socket.socket) -> None:
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na,b\r\n")
            sock.close()

        def half_chunk(sock: socket.socket) -> None:
            sock.sendall(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na,b\r\n\r\n9\r\nx"
            )
            sock.close()

        for answer in (half, half_chunk):
            with Server(answer) as server:
                parts = client(server).payments.csv()
                with self.assertRaisesRegex(ConnectionError, "broke off"):
                    for _ in parts:
                        pass

    def test_an_export_frees_its_connection(self) -> None:
        csv = b"\xef\xbb\xbfa,b\r\n" + "₦,é\r\n".encode() * 20_000
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(csv)}\r\n\r\n".encode()
        with Server(head + csv, BALANCES) as server, client(server) as manilla:
            self.assertEqual("".join(manilla.payments.csv()).encode(), csv)
            manilla.balances.list()
            self.assertEqual(server.connections, 1)

    def test_an_export_that_is_given_up_closes_its_connection(self) -> None:
        csv = b"a,b\r\n" * 100_000
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(csv)}\r\n\r\n".encode()
        with Server(head + csv, BALANCES) as server, client(server) as manilla:
            for _ in manilla.payments.csv():
                break
            manilla.balances.list()
            self.assertEqual(server.connections, 2)

    def test_facts_of_every_answer(self) -> None:
        facts: list[Any] = []
        failed = refusal({"status": False, "code": "internal", "message": "No."}, 500)
        done = reply({"items": []}, X_Request_Id="req_1", Idempotent_Replayed="true")
        with Server(failed, done) as server:
            client(server).balances.list(on_answer=facts.append)
        self.assertEqual([tuple(one) for one in facts], [(500, None, False), (200, "req_1", True)])


class Requests(unittest.TestCase):
    def test_an_operation_without_input_has_no_body(self) -> None:
        with Server(reply({"reference": "va_1"})) as server:
            client(server).virtual_accounts.cancel("a/b c")
        sent = server.received[0]
        self.assertEqual(sent.target, "/v1/collections/virtual-accounts/a%2Fb%20c/cancel")
        self.assertEqual((sent.body, sent.headers["content-length"]), (b"", "0"))
        self.assertNotIn("content-type", sent.headers)

    def test_switches_and_booleans_of_a_query(self) -> None:
        with Server(BALANCES) as server, client(server) as manilla:
            "".join(manilla.payments.csv(excel=True))
            "".join(manilla.payments.csv(excel=False))
        targets = [one.target.partition("?")[2] for one in server.received]
        self.assertEqual(targets, ["excel=1", ""])

    def test_a_reference_that_is_missing_is_never_sent(self) -> None:
        manilla: Any = Manilla("sk_test_a", base_url="http://127.0.0.1:1")
        for wrong in ("", None, 5):
            with self.assertRaisesRegex(TypeError, "reference must be a string"):
                manilla.payments.get(wrong)

    def test_an_idempotency_key_that_would_break_the_request_is_refused(self) -> None:
        with Server(reply({})) as server:
            for key in ("a\r\nX-Evil: 1", "schlüssel€"):
                with self.assertRaises(ValueError):
                    client(server).conversions.create(quote="q", idempotency_key=key)
            self.assertEqual(server.received, [])


class Construction(unittest.TestCase):
    def test_urls(self) -> None:
        for url in ("", "pay.example.com", "ftp://x", "https://", "https://x?a", "http://u:p@x"):
            with self.assertRaisesRegex(ValueError, "base_url must be the URL"):
                Manilla("sk_test_a", base_url=url)
        for url in ("https://x/v1", "https://x/v1/", "https://x///"):
            self.assertEqual(Manilla("sk_test_a", base_url=url)._core.base_url, "https://x")

    def test_a_part_of_a_path_is_kept(self) -> None:
        with Server(BALANCES) as server:
            Manilla("sk_test_a", base_url=f"{server.url}/pay/").balances.list()
        self.assertEqual(server.received[0].target, "/pay/v1/balances")

    def test_printing_never_shows_the_key(self) -> None:
        manilla = Manilla("sk_test_secret", base_url="https://x")
        self.assertNotIn("secret", f"{manilla!r} {manilla}")


class Proxies(unittest.TestCase):
    def with_proxy(self, **variables: str) -> Any:
        return mock.patch.dict(os.environ, {**without_proxies(), **variables}, clear=True)

    def test_a_proxy_gets_the_whole_url_and_its_own_password(self) -> None:
        with Server(BALANCES) as proxy:
            address = f"http://ada:p%40ss@127.0.0.1:{proxy.port}"
            with self.with_proxy(HTTP_PROXY="", http_proxy=address):
                Manilla("sk_test_a", base_url="http://pay.example.com/x").balances.list()
        sent = proxy.received[0]
        self.assertEqual(sent.target, "http://pay.example.com/x/v1/balances")
        self.assertEqual(sent.headers["host"], "pay.example.com")
        self.assertEqual(sent.headers["proxy-authorization"], "Basic YWRhOnBAc3M=")

    def test_a_tunnel_for_https_never_shows_the_key_to_the_proxy(self) -> None:
        with Server(b"HTTP/1.1 403 Forbidden\r\n\r\n") as proxy:
            with self.with_proxy(https_proxy=f"127.0.0.1:{proxy.port}"):
                manilla = Manilla("sk_test_a", base_url="https://pay.example.com", max_retries=0)
                with self.assertRaisesRegex(ConnectionError, "403 Forbidden"):
                    manilla.balances.list()
        sent = proxy.received[0]
        self.assertEqual((sent.method, sent.target), ("CONNECT", "pay.example.com:443"))
        self.assertNotIn("authorization", sent.headers)

    def test_hosts_without_proxy(self) -> None:
        with Server(BALANCES) as server:
            with self.with_proxy(http_proxy="http://127.0.0.1:1", no_proxy="127.0.0.1"):
                self.assertEqual(client(server).balances.list()[0].available, 1)

    def test_a_proxy_of_another_kind_is_refused_at_once(self) -> None:
        with self.with_proxy(all_proxy="socks5://127.0.0.1:1080"):
            with self.assertRaisesRegex(ValueError, "socks5://127.0.0.1 is not an http:// proxy"):
                Manilla("sk_test_a", base_url="https://pay.example.com")


def make_certificate(folder: str) -> Optional[Path]:
    """An untrusted certificate of 127.0.0.1, with its key in the same file."""
    path = Path(folder) / "server.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(path), "-out", f"{path}.crt"]
    try:
        subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


class Tls(unittest.TestCase):
    def test_only_a_trusted_certificate_gets_the_key(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = make_certificate(folder)
            if path is None:
                self.skipTest("needs openssl")
            serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            serving.load_cert_chain(path)
            with Server(BALANCES, context=serving) as server:
                with self.assertRaisesRegex(ManillaError, "CERTIFICATE_VERIFY_FAILED"):
                    client(server, max_retries=0).balances.list()
                self.assertEqual(server.received, [])
                trusting = ssl.create_default_context(cafile=f"{path}.crt")
                with client(server, ssl_context=trusting) as manilla:
                    for _ in range(3):
                        self.assertEqual(manilla.balances.list()[0].available, 1)
                # The refused one, and one that all calls share.
                self.assertEqual(server.connections, 2)


class Lazy(unittest.TestCase):
    def test_importing_the_package_loads_none_of_its_modules(self) -> None:
        script = "import manilla; print([name for name in sys.modules if 'manilla.' in name])"
        self.assertEqual(self.run_alone(script), "[]")

    def test_the_client_for_threads_loads_no_asyncio(self) -> None:
        script = (
            "from manilla import Manilla; Manilla('sk_test_a', base_url='http://x').payments; "
            "print('asyncio' in sys.modules)"
        )
        self.assertEqual(self.run_alone(script), "False")

    def run_alone(self, script: str) -> str:
        folder = str(Path(__file__).parent.parent)
        start = f"import sys; sys.path.insert(0, {folder!r}); {script}"
        done = subprocess.run([sys.executable, "-I", "-c", start], capture_output=True)
        return done.stdout.decode().strip() or done.stderr.decode()

    def test_every_exported_name_is_there(self) -> None:
        import manilla

        for name in manilla.__all__:
            self.assertTrue(hasattr(manilla, name))
        with self.assertRaises(AttributeError):
            manilla.Nothing  # type: ignore[attr-defined]  # noqa: B018
