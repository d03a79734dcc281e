"""Sends requests: idempotency keys, retries and errors, the same for both clients."""

from __future__ import annotations

import codecs
import json
import random
import time
from http.client import HTTPResponse
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generator,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Tuple,
    TypeVar,
    Union,
)
from urllib.parse import quote, urlencode
from uuid import uuid4

from ._errors import ConnectionError, Detail, ManillaError, to_error
from ._json import to_input
from ._pages import Page, Pages
from ._transport import Attempt, Broken, Transport, read_chunk

if TYPE_CHECKING:
    import ssl

T = TypeVar("T")

_json_type = "application/json"
_repeatable_statuses = frozenset({408, 429, 500, 502, 503, 504})
_wait_max_s = 8.0
# A longer Retry-After is left to the caller.
_retry_after_max_s = 30.0


class AnswerFacts(NamedTuple):
    """Metadata of an answer.

    `request_id` identifies the request: `manilla.request_logs.get(request_id)`. `is_replayed` is
    True if this repeats the answer to an earlier request with the same key.
    """

    status: int
    request_id: Optional[str]
    is_replayed: bool


OnAnswer = Callable[[AnswerFacts], object]


class Request(NamedTuple):
    method: str
    path: str
    query: Mapping[str, Any] = {}
    body: Union[Mapping[str, Any], str, bytes, None] = None
    nullable: Tuple[str, ...] = ()
    accept: str = _json_type
    is_public: bool = False
    idempotency_key: Optional[str] = None
    timeout: Optional[float] = None
    max_retries: Optional[int] = None
    on_answer: Optional[OnAnswer] = None


class Answer(NamedTuple):
    """`data` is that of the envelope. A file is read from `stream`."""

    data: Any
    stream: HTTPResponse


class Core:
    first_wait_s = 0.5

    def __init__(
        self,
        key: Optional[str],
        base_url: str,
        timeout: float,
        max_retries: int,
        on_answer: Optional[OnAnswer],
        ssl_context: Optional[ssl.SSLContext],
    ) -> None:
        self.key = check_key(key)
        self.base_url = read_base_url(base_url)
        self.timeout = timeout
        self.max_retries = max_retries
        self.on_answer = on_answer
        self.transport = Transport(self.base_url, ssl_context)

    def attempt(self, request: Request) -> Attempt:
        """What every attempt sends: always the same bytes with the same key."""
        headers = {"Accept": request.accept, "User-Agent": "manilla-python"}
        if not request.is_public:
            headers["Authorization"] = f"Bearer {self.key}"
            if request.method == "POST":
                headers["Idempotency-Key"] = request.idempotency_key or str(uuid4())
        body = request.body
        if isinstance(body, (str, bytes)):
            headers["Content-Type"] = "text/csv"
            body = body.encode() if isinstance(body, str) else body
        elif body is not None:
            headers["Content-Type"] = _json_type
            values = to_input(body, request.nullable)
            body = json.dumps(values, separators=(",", ":")).encode()
        query = {name: to_text(value) for name, value in to_input(request.query).items()}
        path = f"{request.path}?{urlencode(query)}" if query else request.path
        return Attempt(request.method, path, headers, body)

    def steps(
        self, request: Request, attempt: Attempt
    ) -> Generator[Optional[float], Union[Answer, ManillaError, None], Answer]:
        """Asks for an attempt (None) or for a wait (seconds), until there is an answer."""
        max_retries = self.max_retries if request.max_retries is None else request.max_retries
        # A public POST has no key that would make a repeat safe.
        is_repeatable = request.method != "POST" or not request.is_public
        may_have_run = False
        retries = 0
        while True:
            outcome = yield None
            if isinstance(outcome, Answer):
                return outcome
            assert outcome is not None
            # An earlier attempt whose answer was lost has deleted it.
            if may_have_run and request.method == "DELETE" and outcome.status == 404:
                return Answer(None, None)  # type: ignore[arg-type]
            may_have_run = may_have_run or (outcome.status or 500) >= 500
            wait_s = self.wait_before_retry(outcome, retries) if is_repeatable else None
            if wait_s is None or retries >= max_retries:
                raise outcome
            yield wait_s
            retries += 1

    def wait_before_retry(self, error: ManillaError, retries_before: int) -> Optional[float]:
        """Seconds before the next retry, or None if a retry would not help.

        Doubles every time, with jitter, so that clients that failed together do not return
        together.
        """
        may_help = (
            isinstance(error, ConnectionError)
            or error.reason == "idempotency_in_progress"
            or error.status in _repeatable_statuses
        )
        retry_after = error.retry_after or 0.0
        if not may_help or retry_after > _retry_after_max_s:
            return None
        full_s = min(self.first_wait_s * 2.0**retries_before, _wait_max_s)
        return max(retry_after, full_s * (0.5 + random.random() / 2))

    def try_once(self, request: Request, attempt: Attempt) -> Union[Answer, ManillaError]:
        timeout = self.start(request, attempt)
        try:
            response = self.transport.send(attempt)
            is_ok = 200 <= response.status < 300
            is_file = is_ok and request.accept != _json_type
            text = b"" if is_file else self.read_all(attempt, response)
        except Broken as error:
            is_late = time.monotonic() >= attempt.deadline
            how = f"within {timeout * 1000:g} ms" if is_late else f"({why(error)})"
            return self.to_no_answer(f"No answer from {self.base_url} {how}.", attempt, error)
        on_answer = request.on_answer or self.on_answer
        if on_answer:
            is_replayed = response.headers.get("idempotent-replayed") == "true"
            request_id = response.headers.get("x-request-id")
            on_answer(AnswerFacts(response.status, request_id, is_replayed))
        envelope = parse(text)
        if is_file or (is_ok and "data" in envelope):
            return Answer(envelope.get("data"), response)
        return self.to_refusal(attempt, response, envelope)

    def start(self, request: Request, attempt: Attempt) -> float:
        timeout = self.timeout if request.timeout is None else request.timeout
        attempt.deadline = time.monotonic() + timeout
        return timeout

    def read_all(self, attempt: Attempt, response: HTTPResponse) -> bytes:
        try:
            text = response.read()
        except BaseException:
            self.transport.end(attempt)
            raise
        self.transport.end(attempt, response)
        return text

    def read_part(self, request: Request, attempt: Attempt, response: HTTPResponse) -> bytes:
        """The next bytes of a file; none at its end. Each part has the whole timeout."""
        self.start(request, attempt)
        try:
            part = read_chunk(response)
        except Broken as error:
            self.transport.end(attempt)
            raise ConnectionError(
                f"The export from {self.base_url} broke off ({why(error)}).",
                code="no_answer",
                next_step="What you have is not complete. Request it again.",
            ) from error
        if not part:
            self.transport.end(attempt, response)
        return part

    def to_no_answer(self, message: str, attempt: Attempt, cause: Exception) -> ManillaError:
        key = attempt.headers.get("Idempotency-Key")
        next_step = "Check base_url and that the service is running."
        if key is not None:
            next_step = (
                "The request may have been carried out. Retry with the same idempotency_key, "
                f"{key}: it runs at most once."
            )
        error = ConnectionError(message, code="no_answer", next_step=next_step, idempotency_key=key)
        error.__cause__ = cause
        return error

    def to_refusal(
        self, attempt: Attempt, response: HTTPResponse, envelope: Dict[str, Any]
    ) -> ManillaError:
        status, headers = response.status, response.headers
        facts = {
            "request_id": envelope.get("requestId") or headers.get("x-request-id"),
            "retry_after": read_retry_after(headers.get("retry-after")),
            "idempotency_key": attempt.headers.get("Idempotency-Key"),
        }
        if envelope.get("code"):
            details = envelope.get("details") or []
            return to_error(
                status,
                envelope.get("message", "The service sent no message."),
                code=envelope["code"],
                reason=envelope.get("reason"),
                next_step=envelope.get("nextStep"),
                details=[Detail(item.get("field", ""), item.get("issue", "")) for item in details],
                **facts,
            )
        target = headers.get("location")
        how = f" and redirects to {target}" if target else ", which is not an answer of Manilla"
        return to_error(
            status,
            f"{self.base_url}{attempt.path} answered {status}{how}.",
            code="unexpected_answer",
            next_step="Check base_url and any proxy between you and the service.",
            **facts,
        )


class SyncCore(Core):
    def send(self, request: Request, attempt: Optional[Attempt] = None) -> Answer:
        attempt = attempt or self.attempt(request)
        steps = self.steps(request, attempt)
        outcome = None
        try:
            while True:
                wait_s = steps.send(outcome)
                outcome = None
                if wait_s is None:
                    outcome = self.try_once(request, attempt)
                else:
                    time.sleep(wait_s)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def item(self, build: Callable[[Any], T], request: Request) -> T:
        return build(self.send(request).data)

    def items(self, build: Callable[[Any], T], request: Request) -> List[T]:
        return [build(item) for item in self.send(request).data["items"]]

    def pages(self, build: Callable[[Any], T], request: Request) -> Pages[T]:
        def fetch(cursor: Optional[str]) -> Page[T]:
            return to_page(build, self.send(at_cursor(request, cursor)))

        return Pages(fetch, request.query.get("cursor"))

    def parts(self, request: Request) -> Iterator[bytes]:
        attempt = self.attempt(request)
        stream = self.send(request, attempt).stream
        try:
            while part := self.read_part(request, attempt, stream):
                yield part
        finally:
            self.transport.end(attempt)

    def text(self, request: Request) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return (decoder.decode(part) for part in self.parts(request))

    def file(self, request: Request) -> bytes:
        return b"".join(self.parts(request))


def check_key(key: object) -> str:
    if not isinstance(key, str) or not key:
        how = "empty" if key == "" else "missing"
        raise ValueError(f"The key is {how}. Is its variable set?")
    if key.strip() != key:
        raise ValueError("The key has whitespace around it. Trim it.")
    if not key.startswith(("sk_test_", "sk_live_", "pk_test_", "pk_live_")):
        raise ValueError("This is not a Manilla key. Keys start with sk_test_ or sk_live_.")
    return key


def read_base_url(base_url: object) -> str:
    text = str(base_url)
    scheme, _, rest = text.partition("://")
    host = rest.partition("/")[0]
    if (
        scheme.lower() not in ("http", "https")
        or not host
        or set(text) & set("?#\\ ")
        or "@" in host
    ):
        raise ValueError(
            "base_url must be the URL of your Manilla service, such as https://pay.example.com."
        )
    # Paths include the version.
    return text.rstrip("/").removesuffix("/v1")


def segment(name: str, value: object) -> str:
    """Refuses an empty segment, which would turn "get one" into "list all"."""
    if isinstance(value, str) and value:
        return quote(value, safe="")
    what = "an empty string" if value == "" else type(value).__name__
    raise TypeError(f"{name} must be a string, but is {what}.")


def at_cursor(request: Request, cursor: Optional[str]) -> Request:
    return request._replace(query={**request.query, "cursor": cursor})


def to_page(build: Callable[[Any], T], answer: Answer) -> Page[T]:
    return Page([build(item) for item in answer.data["items"]], answer.data.get("nextCursor"))


def to_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse(text: bytes) -> Dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def why(error: BaseException) -> str:
    return str(error) or type(error).__name__


def read_retry_after(header: Optional[str]) -> Optional[float]:
    """`Retry-After` as seconds or as a date."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
