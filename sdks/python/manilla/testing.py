"""Signs webhooks as Manilla does, for tests of your receiver."""

from __future__ import annotations

import base64
import json
import time
from typing import Dict, Optional

from ._errors import WebhookError
from ._webhooks import Message, hmac_of, read_secret


def sign_webhook(
    body: str, secret: str, *, id: Optional[str] = None, now: Optional[float] = None
) -> Dict[str, str]:
    """Signs a body with the `whsec_…` secret of an endpoint and returns the headers to send.

    Args:
        body: The event as JSON.
        secret: The endpoint's `secret`.
        id: Id of the event; by default that of the body.
        now: When it was sent, in seconds since 1970; now by default.
    """
    version, key = read_secret(secret)
    if version != "v1":
        raise WebhookError(
            "secret_malformed",
            "The webhook secret is a public key, which cannot sign. Sign with the `secret` "
            "(whsec_…).",
        )
    sent = str(int(time.time() if now is None else now))
    message = Message(read_id(body) if id is None else id, sent, body.encode())
    signature = base64.b64encode(hmac_of(key, message.content())).decode()
    return {
        "webhook-id": message.id,
        "webhook-timestamp": sent,
        "webhook-signature": f"v1,{signature}",
    }


def read_id(body: str) -> str:
    try:
        found = json.loads(body)["id"]
        if isinstance(found, str):
            return found
    except (ValueError, TypeError, KeyError):
        pass
    raise WebhookError("body_changed", "The body has no `id`. Sign an event, or pass the id.")
