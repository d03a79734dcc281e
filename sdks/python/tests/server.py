"""A server on the loopback that answers what a test tells it to."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Union


class Received(NamedTuple):
    method: str
    target: str
    headers: Dict[str, str]
    body: bytes
    connection: int


# Bytes are sent as they are; a function may also wait or close the connection.
Answer = Union[bytes, Callable[[socket.socket], None]]


def reply(data: Any, status: int = 200, **headers: str) -> bytes:
    return refusal({"status": True, "message": "Done", "data": data}, status, **headers)


def refusal(envelope: Any, status: int, **headers: str) -> bytes:
    body = json.dumps(envelope).encode()
    lines = [f"HTTP/1.1 {status} Done", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Server:
    """Gives each request the next answer, and the last one to all that follow."""

    def __init__(self, *answers: Answer, context: Optional[ssl.SSLContext] = None) -> None:
        self.answers = list(answers)
        self.received: List[Received] = []
        self.connections = 0
        self._context = context
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            given = (client, self.connections)
            threading.Thread(target=self._serve, args=given, daemon=True).start()

    def _serve(self, client: socket.socket, number: int) -> None:
        try:
            if self._context:
                client = self._context.wrap_socket(client, server_side=True)
            with client, client.makefile("rb") as reader:
                while self._serve_one(client, reader, number):
                    pass
        except OSError:
            pass  # The client went away.

    def _serve_one(self, client: socket.socket, reader: Any, number: int) -> bool:
        line = reader.readline().decode()
        if not line:
            return False
        method, target, _ = line.split(" ")
        headers: Dict[str, str] = {}
        for raw in iter(reader.readline, b"\r\n"):
            name, _, value = raw.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = reader.read(int(headers.get("content-length", 0)))
        with self._lock:
            self.received.append(Received(method, target, headers, body, number))
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer(client)
            return False
        client.sendall(answer)
        return True
