"""Lists that are fetched as they are read."""

from __future__ import annotations

from typing import AsyncIterator, Awaitable, Callable, Generic, Iterator, List, Optional, TypeVar

T = TypeVar("T")


class Page(Generic[T]):
    """One page of a list, newest first. `next_cursor` is None on the last."""

    def __init__(self, items: List[T], next_cursor: Optional[str]) -> None:
        self.items = items
        self.next_cursor = next_cursor


class Pages(Generic[T]):
    """A list of any length: iterate to read all pages; `page()` reads one."""

    def __init__(self, fetch: Callable[[Optional[str]], Page[T]], first: Optional[str]) -> None:
        self._fetch = fetch
        self._first = first

    def page(self) -> Page[T]:
        return self._fetch(self._first)

    def __iter__(self) -> Iterator[T]:
        cursor = self._first
        while True:
            page = self._fetch(cursor)
            yield from page.items
            # A repeated cursor would loop forever.
            if page.next_cursor is None or page.next_cursor == cursor:
                return
            cursor = page.next_cursor


class AsyncPages(Generic[T]):
    """A list of any length: `async for` reads all pages; `await page()` reads one."""

    def __init__(
        self, fetch: Callable[[Optional[str]], Awaitable[Page[T]]], first: Optional[str]
    ) -> None:
        self._fetch = fetch
        self._first = first

    async def page(self) -> Page[T]:
        return await self._fetch(self._first)

    async def __aiter__(self) -> AsyncIterator[T]:
        cursor = self._first
        while True:
            page = await self._fetch(cursor)
            for item in page.items:
                yield item
            if page.next_cursor is None or page.next_cursor == cursor:
                return
            cursor = page.next_cursor
