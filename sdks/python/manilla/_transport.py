"""Carries one attempt: connections that stay open, proxies of the environment, deadlines."""

from __future__ import annotations

import base64
import io
import os
import socket
import ssl
import time
import weakref
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import SplitResult, unquote, urlsplit

# What a lost connection, a missing answer and an incomplete answer raise.
Broken = (OSError, HTTPException)

# Most servers keep an idle connection for 5 seconds or longer.
_idle_s = 4.0
_chunk_bytes = 65_536


class Attempt:
    """What is sent, on which connection, and until when."""

    def __init__(
        self, method: str, path: str, headers: Dict[str, str], body: Optional[bytes]
    ) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.deadline = 0.0
        self.connection: Optional[HTTPConnection] = None
        self.is_aborted = False

    def left(self) -> float:
        """Seconds until the deadline."""
        seconds = self.deadline - time.monotonic()
        if seconds <= 0 or self.is_aborted:
            raise socket.timeout("timed out")
        return seconds

    def abort(self) -> None:
        """Wakes the thread that waits for the answer."""
        self.is_aborted = True
        sock = self.connection.sock if self.connection else None
        if sock:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # Closed already.


class Transport:
    def __init__(self, base_url: str, context: Optional[ssl.SSLContext]) -> None:
        self._url = urlsplit(base_url)
        self._context = context
        self._proxy = find_proxy(self._url)
        self._idle: List[Tuple[HTTPConnection, float]] = []
        self._process = os.getpid()
        # For a client that is dropped without being closed.
        weakref.finalize(self, close_all, self._idle)

    def send(self, attempt: Attempt) -> HTTPResponse:
        """Returns when the headers of the answer are there. Otherwise raises one of `Broken`."""
        connection = attempt.connection = self._take(attempt)
        target, headers = self._url.path + attempt.path, attempt.headers
        if self._proxy and self._url.scheme == "http":
            target = f"http://{self._url.netloc}{target}"
            headers = {**headers, **authorize_proxy(self._proxy)}
        try:
            if connection.sock is None:
                connection.connect()
            try:
                connection.request(attempt.method, target, attempt.body, headers)
            except BrokenPipeError:
                pass  # The service may refuse a large body before it has read all of it.
            return connection.getresponse()
        except BaseException:
            self.end(attempt)
            raise

    def end(self, attempt: Attempt, answer: Optional[HTTPResponse] = None) -> None:
        """Keeps the connection if the whole answer was read and allows it; closes any other."""
        connection, attempt.connection = attempt.connection, None
        if connection is None:
            return
        idle_s = read_idle_time(answer) if answer else 0
        if answer is None or answer.will_close or idle_s <= 0:
            connection.close()
        else:
            self._idle.append((connection, time.monotonic() + idle_s))

    def close(self) -> None:
        close_all(self._idle)

    def _take(self, attempt: Attempt) -> HTTPConnection:
        # Two processes must not share a connection, so a forked one starts without any.
        if self._process != os.getpid():
            self.close()
            self._process = os.getpid()
        connection: Any = None
        while connection is None and self._idle:
            try:
                connection, until = self._idle.pop()
            except IndexError:
                break  # Another thread took the last one.
            if until < time.monotonic() or not is_quiet(connection.sock):
                connection.close()
                connection = None
            else:
                connection.sock.settimeout(attempt.left())
        connection = connection or self._open()
        connection._create_connection = lambda address, *_: connect(address, attempt)
        connection.response_class = lambda sock, *args, **named: HTTPResponse(
            _Timed(sock, attempt),  # type: ignore[arg-type]
            *args,
            **named,
        )
        return connection  # type: ignore[no-any-return]

    def _open(self) -> HTTPConnection:
        url, proxy = self._url, self._proxy
        host, port = url.hostname or "", url.port
        at = (proxy.hostname or "", proxy.port or 80) if proxy else (host, port)
        if url.scheme == "http":
            return HTTPConnection(*at)
        self._context = self._context or ssl.create_default_context()
        connection = HTTPSConnection(*at, context=self._context)
        if proxy:
            connection.set_tunnel(host, port or 443, authorize_proxy(proxy))
        return connection


def close_all(idle: List[Tuple[HTTPConnection, float]]) -> None:
    while idle:
        idle.pop()[0].close()


class _Timed(io.RawIOBase):
    """Reads until the deadline. The timeout of a socket begins again with every byte."""

    def __init__(self, sock: socket.socket, attempt: Attempt) -> None:
        self._sock = sock
        self._attempt = attempt
        self._raw: Any = None

    def makefile(self, mode: str) -> io.BufferedReader:
        self._raw = self._sock.makefile(mode, buffering=0)  # type: ignore[call-overload]
        return io.BufferedReader(self, _chunk_bytes)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        self._sock.settimeout(self._attempt.left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if self._raw:
            self._raw.close()
        super().close()


def connect(address: Tuple[str, int], attempt: Attempt) -> socket.socket:
    """Tries every address of the host. A silent one leaves time for the others."""
    found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
    problem = OSError(f"{address[0]} has no address")
    for index, (family, kind, protocol, _, target) in enumerate(found):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(attempt.left() / (len(found) - index))
            sock.connect(target)
            sock.settimeout(attempt.left())
            return sock
        except OSError as error:
            sock.close()
            problem = error
    raise problem


def is_quiet(sock: Optional[socket.socket]) -> bool:
    """Whether the service neither closed an idle connection nor sent anything on it."""
    try:
        sock.settimeout(0)  # type: ignore[union-attr]
        socket.socket.recv(sock, 1, socket.MSG_PEEK)  # type: ignore[arg-type]
    except BlockingIOError:
        return True
    except (OSError, AttributeError):
        pass
    return False


def read_idle_time(answer: HTTPResponse) -> float:
    """How long the service keeps the connection, from `Keep-Alive: timeout=72`."""
    hint = answer.headers.get("keep-alive", "").lower().partition("timeout=")[2]
    seconds = hint.partition(",")[0].strip()
    return int(seconds) - 1 if seconds.isdigit() else _idle_s


def read_chunk(answer: HTTPResponse) -> bytes:
    chunk = answer.read(_chunk_bytes)
    # Without chunks, http.client takes an incomplete answer for a complete one.
    if not chunk and answer.length:
        raise HTTPException(f"{answer.length} bytes are missing")
    return chunk


def find_proxy(url: SplitResult) -> Optional[SplitResult]:
    """The proxy that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name for this host."""
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    # Imported late, because it takes long.
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    text = proxies.get(url.scheme) or proxies.get("all")
    if not text or proxy_bypass(url.netloc):
        return None
    proxy = urlsplit(text if "://" in text else f"http://{text}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise ValueError(f"The proxy {proxy.scheme}://{proxy.hostname} is not an http:// proxy.")
    return proxy


def authorize_proxy(proxy: SplitResult) -> Dict[str, str]:
    if proxy.username is None:
        return {}
    user = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {base64.b64encode(user.encode()).decode()}"}
