from __future__ import annotations

import base64
import json
import os
import unittest
from typing import Any, Dict, List

from manilla import Manilla, WebhookError, verify_webhook
from manilla.testing import sign_webhook

NOW = 1_767_603_600


def make_secret() -> str:
    return f"whsec_{base64.b64encode(os.urandom(32)).decode()}"


EVENT = {
    "id": "evt_06drtrktg1y337r4bb9bwrf0yw",
    "type": "payment.held",
    "timestamp": "2026-01-05T09:00:00.000Z",
    "mode": "test",
    "sequence": 1,
    "data": {"reference": "pay_1", "amount": 500_000, "narration": "Àṣẹ, ₦5,000 for Ada"},
}
# As the service writes it: without spaces, and not in ASCII.
BODY = json.dumps(EVENT, separators=(",", ":"), ensure_ascii=False)
SECRET = make_secret()
HEADERS = sign_webhook(BODY, SECRET, now=NOW)
# Signed by the service, which alone has the private key.
PUBLIC_KEY = "whpk_EZxNnF5dOuFzv6uTSgWAaKv8PSOlvuOq73BfHArAD40="
KEY_HEADERS = {
    **HEADERS,
    "webhook-signature": "v1a,iULFTJS3pYBOQ/0L3cGZykjPDFg4I+ehSg+Yv6w2T5JIkFfCmuj0uKc+WWK2zn94aWd"
    "MZ3Blx+N9AQLtpXwfAQ==",
}
OTHER_PUBLIC_KEY = "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="


class CaseInsensitive:
    """As the headers of Flask, Django and Starlette: pairs, and no dict."""

    def __init__(self, pairs: Dict[str, str]) -> None:
        self.pairs = pairs

    def items(self) -> List[Any]:
        return [(name.title(), value) for name, value in self.pairs.items()]


class Genuine(unittest.TestCase):
    def test_is_believed_as_text_and_bytes_by_secret_and_by_public_key(self) -> None:
        raw = BODY.encode()
        for body in (BODY, raw, bytearray(raw), memoryview(raw)):
            for headers, secret in ((HEADERS, SECRET), (KEY_HEADERS, PUBLIC_KEY)):
                event = verify_webhook(body, headers, secret, now=NOW)  # type: ignore[arg-type]
                self.assertEqual(event.to_dict(), EVENT)

    def test_headers_in_every_form(self) -> None:
        forms: List[Any] = [
            CaseInsensitive(HEADERS),
            {name.upper(): [value] for name, value in HEADERS.items()},
            {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in HEADERS.items()},
            [(name.encode(), value.encode()) for name, value in HEADERS.items()],
        ]
        for form in forms:
            self.assertEqual(verify_webhook(BODY, form, SECRET, now=NOW).id, EVENT["id"])

    def test_one_valid_signature_among_several(self) -> None:
        other = sign_webhook(BODY, make_secret(), now=NOW)["webhook-signature"]
        both = f"{other} v2,abc {HEADERS['webhook-signature']}"
        headers = {**HEADERS, "webhook-signature": both}
        self.assertEqual(verify_webhook(BODY, headers, SECRET, now=NOW).id, EVENT["id"])

    def test_the_client_verifies_too(self) -> None:
        manilla = Manilla("sk_test_a", base_url="http://127.0.0.1:1")
        body = '{"id":"evt_2","type":"payment.held"}'
        event = manilla.webhooks.verify(body, sign_webhook(body, SECRET), SECRET)
        self.assertEqual(event.id, "evt_2")


class Problems(unittest.TestCase):
    def problem(
        self, body: Any = BODY, headers: Any = HEADERS, secret: Any = SECRET, **more: Any
    ) -> str:
        with self.assertRaises(WebhookError) as caught:
            verify_webhook(body, headers, secret, **{"now": NOW, **more})
        self.message = caught.exception.message
        return caught.exception.problem

    def test_the_body_was_parsed(self) -> None:
        self.assertEqual(self.problem(EVENT), "body_parsed")
        self.assertIn("request.get_data() in Flask", self.message)
        self.assertEqual(self.problem(None), "body_parsed")

    def test_headers_are_missing(self) -> None:
        self.assertEqual(self.problem(headers={}), "headers_missing")
        self.assertIn("no webhook-id, no webhook-timestamp", self.message)
        self.assertEqual(self.problem(headers=None), "headers_missing")
        for time in ("", "soon", "1e3", "-5", "9" * 13, "١٢٣"):
            headers = {**HEADERS, "webhook-timestamp": time}
            self.assertEqual(self.problem(headers=headers), "headers_missing", time)

    def test_the_secret_is_malformed(self) -> None:
        cases = [
            (None, "is missing. Is the variable set?"),
            ("", "is empty"),
            (f"{SECRET}\n", "whitespace around it"),
            ("sk_test_abc", "is an API key"),
            ("we_01hx", "is an endpoint id"),
            (SECRET[6:].replace("_", ""), "must start with whsec_"),
            ("whsec_abc", "is incomplete"),
            (PUBLIC_KEY[:-4], "is incomplete"),
            ("whsec_!!!!", "is not a valid key"),
            ("whsec_ünîcödé", "is not a valid key"),
        ]
        for secret, message in cases:
            self.assertEqual(self.problem(secret=secret), "secret_malformed", secret)
            self.assertIn(message, self.message)

    def test_the_body_was_changed(self) -> None:
        cases = [
            ("parsed and serialized again", json.dumps(EVENT)),
            ("parsed and serialized again", json.dumps(EVENT, indent=2, ensure_ascii=False)),
            ("whitespace was added", f"{BODY}\n"),
            ("read as Latin-1", BODY.encode().decode("latin-1")),
            ("not complete JSON", BODY[:-10]),
            ("is empty", ""),
            ("to another event", BODY.replace("evt_06d", "evt_07d")),
            ("to another event", "[]"),
        ]
        for headers, secret in ((HEADERS, SECRET), (KEY_HEADERS, PUBLIC_KEY)):
            for what, body in cases:
                self.assertEqual(self.problem(body, headers, secret), "body_changed", what)
                self.assertIn(what, self.message)

    def test_a_body_with_broken_characters_is_no_crash(self) -> None:
        for body in (b"\xff\xfe", "\ud800", b'{"id":"\xff"}'):
            self.assertEqual(self.problem(body), "body_changed")

    def test_the_secret_is_that_of_another_endpoint(self) -> None:
        for headers, secret in ((HEADERS, make_secret()), (KEY_HEADERS, OTHER_PUBLIC_KEY)):
            self.assertEqual(self.problem(headers=headers, secret=secret), "signature_mismatch")
            self.assertIn("another secret", self.message)

    def test_the_amount_was_changed_on_the_way(self) -> None:
        self.assertEqual(self.problem(BODY.replace("500000", "900000")), "signature_mismatch")

    def test_there_is_no_usable_signature(self) -> None:
        for signature in ("v2,abc", "v1", "nonsense", "v1a,abc"):
            headers = {**HEADERS, "webhook-signature": signature}
            self.assertEqual(self.problem(headers=headers), "signature_mismatch")
            self.assertIn("no v1", self.message)
        for signature in ("v1,", "v1,!!!", "v1,YQ==", "v1,é"):
            headers = {**HEADERS, "webhook-signature": signature}
            self.assertEqual(self.problem(headers=headers), "signature_mismatch")

    def test_the_age(self) -> None:
        for now in (NOW + 300, NOW - 300):
            self.assertEqual(verify_webhook(BODY, HEADERS, SECRET, now=now).id, EVENT["id"])
        self.assertEqual(self.problem(now=NOW + 420), "too_old")
        self.assertIn("sent 420 s ago; at most 300 s", self.message)
        self.assertEqual(self.problem(now=NOW - 301), "too_new")
        self.assertEqual(self.problem(now=NOW + 2, tolerance=1), "too_old")

    def test_a_tolerance_that_would_let_everything_pass(self) -> None:
        for options in ({"tolerance": float("nan")}, {"now": float("nan")}, {"tolerance": -1}):
            with self.assertRaisesRegex(ValueError, "tolerance and now"):
                verify_webhook(BODY, HEADERS, SECRET, **{"now": NOW, **options})

    def test_a_signed_body_that_is_no_event(self) -> None:
        for body in ("hello", "[]"):
            signed = sign_webhook(body, SECRET, id="evt_1", now=NOW)
            self.assertEqual(self.problem(body, signed), "body_changed")
            self.assertIn("is not JSON", self.message)


class Signing(unittest.TestCase):
    def test_what_cannot_be_signed(self) -> None:
        with self.assertRaisesRegex(WebhookError, "public key, which cannot sign"):
            sign_webhook(BODY, PUBLIC_KEY)
        with self.assertRaisesRegex(WebhookError, "must start with whsec_"):
            sign_webhook(BODY, "secret")
        for body in ("", "[]", "{}", '{"id":5}', "null"):
            with self.assertRaisesRegex(WebhookError, "has no `id`"):
                sign_webhook(body, SECRET)
