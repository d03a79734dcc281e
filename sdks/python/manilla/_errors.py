"""Every error of the SDK, and which HTTP status makes which."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Type, Union

if TYPE_CHECKING:
    from .enums import ErrorCode, ErrorReason


class Detail(NamedTuple):
    """A problem of one field. `field` is the name in the API, such as `bankCode`."""

    field: str
    issue: str


class ManillaError(Exception):
    """Raised by every request that does not succeed.

    Attributes:
        code: Branch on this. `no_answer` and `unexpected_answer` are the SDK's own.
        message: Says what is wrong.
        reason: A more specific code, if there is one.
        status: HTTP status; None if there was no answer.
        next_step: What to do next.
        details: Problems by field.
        request_id: Identifies the request in the logs of the service.
        idempotency_key: The key that the request was sent with. Retry with the same key: it runs
            at most once.
        retry_after: Seconds, from the Retry-After header.
    """

    def __init__(
        self,
        message: str,
        *,
        code: Union[ErrorCode, str] = "unexpected_answer",
        reason: Union[ErrorReason, str, None] = None,
        status: Optional[int] = None,
        next_step: Optional[str] = None,
        details: Optional[List[Detail]] = None,
        request_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
        self.status = status
        self.next_step = next_step
        self.details = details or []
        self.request_id = request_id
        self.idempotency_key = idempotency_key
        self.retry_after = retry_after

    def __str__(self) -> str:
        request = f", request {self.request_id}" if self.request_id else ""
        return f"{self.message} ({self.reason or self.code}{request})"


class ConnectionError(ManillaError, builtins.ConnectionError):
    """No connection, or no answer in time. The request may have been carried out."""


class AuthenticationError(ManillaError):
    """401 or 403: the key is missing, invalid or lacks permission."""


class ValidationError(ManillaError):
    """400, 413 or 415: the request is invalid; see `details`."""


class InsufficientBalanceError(ManillaError):
    """402: the available balance cannot cover amount and fee."""


class NotFoundError(ManillaError):
    """404: not found in the environment of this key."""


class RateLimitError(ManillaError):
    """429: too many requests, even after retries."""


_by_status: Dict[int, Type[ManillaError]] = {
    400: ValidationError,
    401: AuthenticationError,
    402: InsufficientBalanceError,
    403: AuthenticationError,
    404: NotFoundError,
    413: ValidationError,
    415: ValidationError,
    429: RateLimitError,
}


def to_error(status: int, message: str, **facts: Any) -> ManillaError:
    return _by_status.get(status, ManillaError)(message, status=status, **facts)


class WebhookError(Exception):
    """The webhook could not be verified. Answer 400 and do nothing.

    Attributes:
        problem: `body_parsed`, `body_changed`, `headers_missing`, `secret_malformed`,
            `signature_mismatch`, `too_old` or `too_new`.
        message: Says what to change.
    """

    def __init__(self, problem: str, message: str) -> None:
        super().__init__(problem, message)
        self.problem = problem
        self.message = message

    def __str__(self) -> str:
        return self.message


for _kind in (ManillaError, ConnectionError, *_by_status.values(), WebhookError):
    _kind.__module__ = "manilla"  # Where users import them from, for tracebacks.
