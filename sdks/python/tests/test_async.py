from __future__ import annotations

import asyncio
import socket
import threading
import time
import unittest
from typing import Any

from manilla import AsyncManilla, NotFoundError, RateLimitError

from .server import Server, refusal, reply

BALANCES = reply({"items": [{"asset": "NGN", "available": 1}]})


def client(server: Server, **options: Any) -> AsyncManilla:
    manilla = AsyncManilla("sk_test_a", base_url=server.url, **{"timeout": 5.0, **options})
    manilla._core.first_wait_s = 0.001
    return manilla


class Async(unittest.IsolatedAsyncioTestCase):
    async def test_requests_run_at_the_same_time(self) -> None:
        def slowly(sock: socket.socket) -> None:
            time.sleep(0.2)
            sock.sendall(BALANCES)

        with Server(slowly) as server:
            async with client(server) as manilla:
                start = time.monotonic()
                answers = await asyncio.gather(*(manilla.balances.list() for _ in range(20)))
                self.assertLess(time.monotonic() - start, 2)
                self.assertEqual([one[0].available for one in answers], [1] * 20)

    async def test_the_event_loop_runs_on(self) -> None:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        def slowly(sock: socket.socket) -> None:
            time.sleep(0.3)
            sock.sendall(BALANCES)

        with Server(slowly) as server:
            async with client(server) as manilla:
                task = asyncio.create_task(tick())
                await manilla.balances.list()
                task.cancel()
        self.assertGreater(ticks, 3)

    async def test_a_cancelled_request_frees_its_thread(self) -> None:
        ended = threading.Event()

        def wait_for_the_end(sock: socket.socket) -> None:
            sock.recv(1)
            ended.set()

        with Server(wait_for_the_end) as server:
            async with client(server, timeout=30) as manilla:
                task = asyncio.create_task(manilla.balances.list())
                while not server.received:
                    await asyncio.sleep(0.01)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                self.assertTrue(await asyncio.to_thread(ended.wait, 5))
            self.assertEqual(len(server.received), 1)

    async def test_a_cancelled_wait_sends_nothing_more(self) -> None:
        busy = refusal({"status": False, "code": "rate_limited", "message": "Wait."}, 429)
        with Server(busy) as server:
            manilla = client(server)
            manilla._core.first_wait_s = 60
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(manilla.balances.list(), 0.2)
            self.assertEqual(len(server.received), 1)

    async def test_errors_and_retries_are_those_of_the_other_client(self) -> None:
        missing = refusal({"status": False, "code": "not_found", "message": "No."}, 404)
        busy = refusal({"status": False, "code": "rate_limited", "message": "Wait."}, 429)
        with Server(busy, missing, busy) as server:
            async with client(server) as manilla:
                with self.assertRaises(NotFoundError):
                    await manilla.payments.get("pay_1")
                with self.assertRaises(RateLimitError):
                    await manilla.payments.get("pay_1")
            self.assertEqual(len(server.received), 2 + 4)

    async def test_lists(self) -> None:
        first = reply({"items": [{"reference": "a"}, {"reference": "b"}], "nextCursor": "2"})
        last = reply({"items": [{"reference": "c"}], "nextCursor": None})
        with Server(first, last, first) as server:
            async with client(server) as manilla:
                found = [one.reference async for one in manilla.payments.list(limit=2)]
                self.assertEqual(found, ["a", "b", "c"])
                page = await manilla.payments.list().page()
                self.assertEqual((len(page.items), page.next_cursor), (2, "2"))
            self.assertTrue(server.received[1].target.endswith("?limit=2&cursor=2"))

    async def test_files(self) -> None:
        csv = "₦,é\r\n".encode() * 40_000
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(csv)}\r\n\r\n".encode()
        with Server(head + csv) as server:
            async with client(server) as manilla:
                text = "".join([part async for part in manilla.payments.csv()])
                self.assertEqual(text.encode(), csv)
                self.assertEqual(await manilla.payments.receipt("pay_1"), csv)
            self.assertEqual(server.connections, 1)
