"""Makes the calls of the conformance suite: see test/sdks/conformance/README.md."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import traceback
from itertools import islice
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from manilla import AsyncManilla, Manilla, ManillaError, Model, WebhookError, verify_webhook
from manilla._json import to_snake
from manilla.testing import sign_webhook

Json = Dict[str, Any]

# `python driver.py async` makes the same calls with the client for asyncio.
is_async = sys.argv[1:] == ["async"]
loop = asyncio.new_event_loop()


class Client:
    """Either client, without the difference between them."""

    def __init__(self, key: Optional[str], base_url: str, first_wait_ms: Optional[float]) -> None:
        self.client: Any = (AsyncManilla if is_async else Manilla)(key, base_url=base_url)
        if first_wait_ms is not None:
            self.client._core.first_wait_s = first_wait_ms / 1000

    def result(self, answer: Any) -> Any:
        return loop.run_until_complete(answer) if hasattr(answer, "__await__") else answer

    def iterate(self, answer: Any) -> Iterator[Any]:
        if not hasattr(answer, "__aiter__"):
            yield from answer
            return
        items = answer.__aiter__()
        while True:
            try:
                yield loop.run_until_complete(items.__anext__())
            except StopAsyncIteration:
                return

    def close(self) -> None:
        if is_async:
            loop.run_until_complete(self.client.aclose())
        else:
            self.client.close()


def call(client: Client, request: Json) -> Any:
    """Calls a method with the names of Python, and returns what it returned."""
    method = client.client
    for name in request["resource"].split("."):
        method = getattr(method, to_snake(name))
    name = to_snake(request["operation"])
    options = request.get("options", {})
    named = to_python({**request.get("query", {}), **request.get("body", {})})
    if "timeoutMs" in options:
        named["timeout"] = options["timeoutMs"] / 1000
    if "maxRetries" in options:
        named["max_retries"] = options["maxRetries"]
    if "idempotencyKey" in options:
        named["idempotency_key"] = options["idempotencyKey"]
    given = list(request.get("path", {}).values())
    if "csv" in request:
        name, given = f"{name}_from_csv", [*given, request["csv"]]
    return client.result(getattr(method, name)(*given, **named))


def to_python(value: Any) -> Any:
    """As a caller writes it: with the names of Python, except in metadata."""
    if isinstance(value, list):
        return [to_python(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        to_snake(name): inner if name == "metadata" else to_python(inner)
        for name, inner in value.items()
    }


def to_json(value: Any) -> Any:
    if isinstance(value, Model):
        # Read through the attributes too, so that a field that cannot be read is found.
        for name in dir(value):
            getattr(value, name)
        return value.to_dict()
    if isinstance(value, list):
        return [to_json(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


def to_error(error: Exception) -> Json:
    if isinstance(error, WebhookError):
        return {"type": "WebhookError", "problem": error.problem, "message": error.message}
    if not isinstance(error, ManillaError):
        return {"type": "InvalidArgument", "message": str(error)}
    return {
        "type": type(error).__name__,
        "code": error.code,
        "reason": error.reason,
        "status": error.status,
        "message": error.message,
        "nextStep": error.next_step,
        "details": [detail._asdict() for detail in error.details],
        "requestId": error.request_id,
        "idempotencyKey": error.idempotency_key,
        "retryAfterMs": None if error.retry_after is None else round(error.retry_after * 1000),
    }


def verify(request: Json) -> Json:
    body: Any = request.get("parsed", request.get("body"))
    if "bodyBase64" in request:
        body = base64.b64decode(request["bodyBase64"])
    times: Dict[str, float] = {}
    if "nowMs" in request:
        times["now"] = request["nowMs"] / 1000
    if "toleranceMs" in request:
        times["tolerance"] = request["toleranceMs"] / 1000
    event = verify_webhook(body, request["headers"], request.get("secret"), **times)
    return {"event": to_json(event)}


def sign(request: Json) -> Json:
    options: Dict[str, Any] = {"id": request.get("webhookId")}
    if "nowMs" in request:
        options["now"] = request["nowMs"] / 1000
    return {"headers": sign_webhook(request["body"], request["secret"], **options)}


def answer(request: Json) -> Json:
    kind = request["kind"]
    if kind == "webhook":
        return verify(request)
    if kind == "sign":
        return sign(request)
    first_wait_ms = request.get("options", {}).get("firstWaitMs")
    client = Client(request["key"], request["baseUrl"], first_wait_ms)
    try:
        return use(client, kind, request)
    finally:
        client.close()


def use(client: Client, kind: str, request: Json) -> Json:
    if kind == "client":
        return {"value": "created"}
    if kind == "print":
        return {"printed": f"{client.client!r}"}
    given = call(client, request)
    if kind == "page":
        page = client.result(given.page())
        return {"page": {"items": to_json(page.items), "nextCursor": page.next_cursor}}
    if kind == "list":
        items: List[Any] = []
        try:
            for item in islice(client.iterate(given), request.get("limitItems")):
                items.append(to_json(item))
        except ManillaError as error:
            return {"items": items, "error": to_error(error)}
        return {"items": items}
    is_text = hasattr(given, "__iter__") or hasattr(given, "__aiter__")
    if is_text and not isinstance(given, (list, bytes)):
        given = "".join(client.iterate(given))
    return {"value": to_json(given)}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        try:
            result = answer(request)
        except (ManillaError, WebhookError, TypeError, ValueError) as error:
            result = {"error": to_error(error)}
            if os.environ.get("MANILLA_DRIVER_TRACE"):
                traceback.print_exc()
        except Exception:
            result = {"crash": traceback.format_exc()}
        print(json.dumps({"id": request["id"], **result}), flush=True)


main()
