"""Takes money through a service, as test/sdks/README.md says: `python3 sdks/python/journey.py`."""

from __future__ import annotations

import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Callable, List, Optional, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent))

from manilla import Manilla, WebhookError
from manilla.events import WebhookEvent

T = TypeVar("T")

manilla = Manilla(os.environ["MANILLA_KEY"], base_url=os.environ["MANILLA_URL"])
name = f"journey-{os.environ['JOURNEY']}"
began = time.monotonic()
events: List[WebhookEvent] = []
secret = ""


def report(step: str, detail: object = "") -> None:
    global began
    now = time.monotonic()
    print(f"{step} {round((now - began) * 1000)} ms {detail}".strip(), flush=True)
    began = now


def until(what: str, find: Callable[[], Optional[T]]) -> T:
    """Polls every 100 ms, for at most 20 seconds."""
    deadline = time.monotonic() + 20
    while True:
        found = find()
        if found:
            return found
        if time.monotonic() > deadline:
            raise TimeoutError(f"No {what} within 20 seconds.")
        time.sleep(0.1)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            events.append(manilla.webhooks.verify(body, self.headers, secret))
            self.send_response(200)
        except WebhookError:
            self.send_response(400)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """The output has nothing but the steps."""


def travel() -> None:
    account = manilla.virtual_accounts.create(merchant_reference=name, amount=500_000)
    report("account", account.reference)

    manilla.test.bank_transfers.create(account_number=account.account_number, amount=500_000)
    report("pay")

    event = until("webhook", lambda: find_event(account.reference))
    report("webhook", event.id)

    payment = manilla.payments.list(account_reference=account.reference).page().items[0]
    manilla.payments.refund(payment.reference, amount=200_000)
    until("refund", lambda: is_refunded(payment.reference))
    report("refund", payment.reference)

    payout = manilla.bank_transfers.create(
        amount=250_000,
        bank_code="058",
        account_number="0123456789",
        merchant_reference=f"{name}-payout",
    )
    until(
        "completed payout",
        lambda: manilla.bank_transfers.get(payout.reference).status == "COMPLETED",
    )
    report("payout", payout.reference)

    batch = manilla.batches.create(
        kind="bank_transfer",
        items=[
            {
                "amount": 100_000,
                "bank_code": bank_code,
                "account_number": account_number,
                "merchant_reference": f"{name}-salary-{account_number}",
            }
            for bank_code, account_number in (("058", "0123456789"), ("044", "0123456797"))
        ],
    )
    until("READY batch", lambda: manilla.batches.get(batch.reference).status == "READY")
    manilla.batches.submit(batch.reference)
    until("COMPLETED batch", lambda: manilla.batches.get(batch.reference).status == "COMPLETED")
    report("batch", batch.reference)

    quote = manilla.conversions.quote(from_="NGN", to="USDC", amount=1_000_000)
    conversion = manilla.conversions.create(quote=quote.reference)
    report("conversion", conversion.reference)

    found = [
        transfer
        for transfer in manilla.bank_transfers.list(limit=2)
        if (transfer.merchant_reference or "").startswith(f"{name}-")
    ]
    if len(found) != 3:
        raise RuntimeError(f"There are {len(found)} payouts, not 3.")
    report("list", len(found))


def find_event(reference: str) -> Optional[WebhookEvent]:
    for event in events:
        if event.type == "virtual_account.paid" and event.data.reference == reference:
            return event
    return None


def is_refunded(payment: str) -> bool:
    returns = manilla.payments.returns(payment).page().items
    return any(one.status in ("SENT", "RETURNED") for one in returns)


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
endpoint = manilla.webhook_endpoints.create(url=url)
secret = endpoint.secret
try:
    report("listen", url)
    travel()
finally:
    manilla.webhook_endpoints.delete(endpoint.id)
    server.shutdown()
