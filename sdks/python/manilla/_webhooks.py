"""Verifies webhooks, and says what to change when one cannot be verified."""

from __future__ import annotations

import base64
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

from ._errors import WebhookError

if TYPE_CHECKING:
    from .events import WebhookEvent

_header_names = ("webhook-id", "webhook-timestamp", "webhook-signature")


class Message(NamedTuple):
    id: str
    timestamp: str
    body: bytes

    def content(self) -> bytes:
        return f"{self.id}.{self.timestamp}.".encode() + self.body


class Webhooks:
    """`manilla.webhooks` of both clients."""

    @staticmethod
    def verify(
        body: Union[str, bytes], headers: Any, secret: Optional[str], **options: Any
    ) -> WebhookEvent:
        """As `verify_webhook`."""
        return verify_webhook(body, headers, secret, **options)


def verify_webhook(
    body: Union[str, bytes],
    headers: Any,
    secret: Optional[str],
    *,
    tolerance: float = 300.0,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Verifies signature and age of a webhook and returns the event.

    Args:
        body: The raw body, as the request carried it.
        headers: All headers, as the framework has them.
        secret: The endpoint's `secret` (`whsec_…`) or `public_key` (`whpk_…`).
        tolerance: Seconds that the time may differ from your clock.
        now: The time in seconds since 1970, for tests.

    Raises:
        WebhookError: Says what is wrong and what to change. Answer 400.
    """
    if not isinstance(body, (str, bytes, bytearray, memoryview)):
        raise WebhookError(
            "body_parsed",
            f"The body must be the raw text or bytes, but is {type(body).__name__}. If a framework "
            "parsed it, use the raw body: request.get_data() in Flask, request.body in Django, "
            "await request.body() in FastAPI.",
        )
    raw = body.encode("utf-8", "replace") if isinstance(body, str) else bytes(body)
    message, header = read_headers(headers, raw)
    version, key = read_secret(secret)
    prefix = f"{version},"
    given = [part[len(prefix) :] for part in header.split(" ") if part.startswith(prefix)]
    signatures = [signature for signature in map(from_base64, given) if signature]

    def matches(message: Message) -> bool:
        verify = verifiers[version]
        content = message.content()
        return any(verify(key, content, signature) for signature in signatures)

    if not given:
        raise WebhookError(
            "signature_mismatch",
            f"The webhook-signature header has no {version} signature. The request is not from "
            "Manilla, or a proxy cut the header.",
        )
    if not matches(message):
        raise diagnose(message, matches)
    # After the signature, so that the time is proven to be the sender's.
    check_time(int(message.timestamp), tolerance, time.time() if now is None else now)
    try:
        event = json.loads(raw)
        if not isinstance(event, dict):
            raise ValueError
    except ValueError:
        raise WebhookError(
            "body_changed",
            "The body is signed with your secret but is not JSON: it is not a webhook of Manilla.",
        ) from None
    from .events import to_event

    return to_event(event)


def read_headers(headers: Any, body: bytes) -> Tuple[Message, str]:
    pairs = headers.items() if hasattr(headers, "items") else headers or ()
    found: Dict[str, str] = {}
    for name, value in pairs:
        first = value[0] if isinstance(value, (list, tuple)) and value else value
        found[to_header_name(name)] = to_text(first)
    values = [found.get(name, "") for name in _header_names]
    # An invalid time would be neither too old nor too new.
    if not re.fullmatch(r"[0-9]{1,12}", values[1]):
        values[1] = ""
    missing = [name for name, value in zip(_header_names, values) if not value]
    if missing:
        raise WebhookError(
            "headers_missing",
            f"The request has no {', no '.join(missing)}. Pass all headers of the request; if "
            "these did not arrive, it is not a webhook, or a proxy removed them.",
        )
    return Message(values[0], values[1], body), values[2]


def to_header_name(name: Union[str, bytes]) -> str:
    """Also of a WSGI environment, which has `HTTP_WEBHOOK_ID`."""
    lower = to_text(name).lower().replace("_", "-")
    return lower[5:] if lower.startswith("http-") else lower


def to_text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def read_secret(secret: object) -> Tuple[str, bytes]:
    """`whsec_…` verifies `v1` signatures, `whpk_…` those of `v1a`."""

    def malformed(how: str) -> WebhookError:
        return WebhookError("secret_malformed", f"The webhook secret {how}")

    if not isinstance(secret, str) or not secret:
        raise malformed(f"is {'empty' if secret == '' else 'missing'}. Is the variable set?")
    if secret.strip() != secret:
        raise malformed("has whitespace around it. Trim it.")
    if secret.startswith(("sk_", "pk_")):
        raise malformed("is an API key. Use the `secret` (whsec_…) that came with the endpoint.")
    if secret.startswith("we_"):
        raise malformed("is an endpoint id. Use the `secret` (whsec_…) that came with it.")
    prefix, _, encoded = secret.partition("_")
    if prefix not in ("whsec", "whpk"):
        raise malformed("must start with whsec_ (or whpk_, for the public key).")
    key = from_base64(encoded) or b""
    if len(key) < 16 or (prefix == "whpk" and len(key) != 32):
        raise malformed(f"is incomplete or changed: the part after {prefix}_ is not a valid key.")
    return ("v1" if prefix == "whsec" else "v1a"), key


def hmac_of(key: bytes, content: bytes) -> bytes:
    return hmac.new(key, content, "sha256").digest()


def verify_hmac(key: bytes, content: bytes, signature: bytes) -> bool:
    return hmac.compare_digest(hmac_of(key, content), signature)


def verify_ed25519(key: bytes, content: bytes, signature: bytes) -> bool:
    from ._ed25519 import verify

    return verify(key, content, signature)


verifiers = {"v1": verify_hmac, "v1a": verify_ed25519}


def from_base64(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return None


def check_time(sent: int, tolerance: float, now: float) -> None:
    # Compared with NaN, nothing would ever be too old.
    if not tolerance >= 0 or now != now:
        raise ValueError("tolerance and now must be numbers of seconds.")
    age = now - sent
    if age > tolerance:
        raise WebhookError(
            "too_old",
            f"The signature is valid, but the webhook was sent {age:.0f} s ago; at most "
            f"{tolerance:g} s is allowed. It was delayed or replayed, or your clock is fast.",
        )
    if age < -tolerance:
        raise WebhookError(
            "too_new",
            f"The signature is valid, but the webhook is {-age:.0f} s ahead of your clock; at most "
            f"{tolerance:g} s is allowed. Your clock is slow, or the service's is fast.",
        )


# Common changes to a body before verification; undoing one proves that it happened.
_undoings: List[Tuple[str, Callable[[str], str]]] = [
    ("whitespace was added around it", str.strip),
    (
        "it was parsed and serialized again",
        lambda text: json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False),
    ),
    (
        "its bytes were read as Latin-1 instead of UTF-8",
        lambda text: text.encode("latin-1").decode("utf-8"),
    ),
]


def diagnose(message: Message, matches: Callable[[Message], bool]) -> WebhookError:
    """Finds out why no signature matches, as far as possible."""
    text = message.body.decode("utf-8", "replace")
    for what, undo in _undoings:
        try:
            undone = message._replace(body=undo(text).encode())
        except ValueError:
            continue
        if matches(undone):
            return WebhookError(
                "body_changed",
                f"The body was changed: {what}. Verify the raw body before any middleware "
                "touches it.",
            )
    if not text:
        return WebhookError("body_changed", "The body is empty: something has already read it.")
    try:
        event = json.loads(text)
    except ValueError:
        return WebhookError("body_changed", "The body is not complete JSON: it was cut or changed.")
    # A body that looks intact suggests a wrong secret.
    if not isinstance(event, dict) or event.get("id") != message.id:
        return WebhookError(
            "body_changed",
            "The body belongs to another event than the headers. Pass both from the same request.",
        )
    return WebhookError(
        "signature_mismatch",
        "The signature was made with another secret. Use the secret of this endpoint and mode; "
        "after a rotation, the new one. If the secret is right, the body was changed on the way.",
    )
