"""The client that waits for each answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._core import OnAnswer, SyncCore
from ._resources import Resources
from ._webhooks import Webhooks

if TYPE_CHECKING:
    import ssl


class Manilla(Resources):
    """A client of your Manilla service. Threads may share it.

    The key decides the mode: `sk_test_…` or `sk_live_…`. Printing the client never shows it.

    Args:
        key: Your API key.
        base_url: URL of your Manilla service, such as `https://pay.example.com`.
        timeout: Seconds for each attempt.
        max_retries: 0 means one attempt only.
        on_answer: Called for every answer, including those that are retried.
        ssl_context: For a private certificate authority.
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
        super().__init__(SyncCore(key, base_url, timeout, max_retries, on_answer, ssl_context))
        self.webhooks = Webhooks()

    def close(self) -> None:
        """Closes the idle connections."""
        self._core.transport.close()

    def __enter__(self) -> Manilla:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Manilla(base_url={self._core.base_url!r})"
