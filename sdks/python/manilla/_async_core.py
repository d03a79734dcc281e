"""Sends requests without blocking an event loop."""

from __future__ import annotations

import asyncio
import codecs
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Callable, List, Optional, TypeVar

from ._core import Answer, Core, Request, at_cursor, to_page
from ._pages import AsyncPages, Page
from ._transport import Attempt

T = TypeVar("T")

_threads_max = 64


class AsyncCore(Core):
    """Runs every attempt in a thread, and waits between attempts in the event loop.

    The standard library has no asynchronous HTTP client. A thread runs the same transport as the
    other client, so both have the same proxies, TLS and deadlines.
    """

    threads: Optional[ThreadPoolExecutor] = None

    async def run(
        self, work: Callable[..., T], request: Request, attempt: Attempt, *more: Any
    ) -> T:
        self.threads = self.threads or ThreadPoolExecutor(_threads_max, "manilla")
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self.threads, work, request, attempt, *more)
        except asyncio.CancelledError:
            attempt.abort()  # The thread must not wait for an answer that is not read.
            raise

    async def send(self, request: Request, attempt: Optional[Attempt] = None) -> Answer:
        attempt = attempt or self.attempt(request)
        steps = self.steps(request, attempt)
        outcome = None
        while True:
            try:
                wait_s = steps.send(outcome)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            outcome = None
            if wait_s is None:
                outcome = await self.run(self.try_once, request, attempt)
            else:
                await asyncio.sleep(wait_s)

    async def item(self, build: Callable[[Any], T], request: Request) -> T:
        return build((await self.send(request)).data)

    async def items(self, build: Callable[[Any], T], request: Request) -> List[T]:
        return [build(item) for item in (await self.send(request)).data["items"]]

    def pages(self, build: Callable[[Any], T], request: Request) -> AsyncPages[T]:
        async def fetch(cursor: Optional[str]) -> Page[T]:
            return to_page(build, await self.send(at_cursor(request, cursor)))

        return AsyncPages(fetch, request.query.get("cursor"))

    async def parts(self, request: Request) -> AsyncIterator[bytes]:
        attempt = self.attempt(request)
        stream = (await self.send(request, attempt)).stream
        try:
            while part := await self.run(self.read_part, request, attempt, stream):
                yield part
        finally:
            self.transport.end(attempt)

    async def text(self, request: Request) -> AsyncIterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        async for part in self.parts(request):
            yield decoder.decode(part)

    async def file(self, request: Request) -> bytes:
        return b"".join([part async for part in self.parts(request)])
