"""The client for asyncio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._async_core import AsyncCore
from ._core import OnAnswer
from ._resources import AsyncResources
from ._webhooks import Webhooks

if TYPE_CHECKING:
    import ssl


class AsyncManilla(AsyncResources):
    """A client of your Manilla service for asyncio, with the arguments of `Manilla`.

    Up to 64 requests run at a time; more wait for their turn.
    """

    def __init__(
        self,
        key: Optional[str],
        *,
        base_url: str,
        timeout: float = 30.0,
        max_retries: int = 3,
        on_answer: Optional[OnAnswer] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        super().__init__(AsyncCore(key, base_url, timeout, max_retries, on_answer, ssl_context))
        self.webhooks = Webhooks()

    async def aclose(self) -> None:
        """Closes the idle connections and ends the threads."""
        self._core.transport.close()
        if self._core.threads:
            self._core.threads.shutdown(wait=False)

    async def __aenter__(self) -> AsyncManilla:
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"AsyncManilla(base_url={self._core.base_url!r})"
