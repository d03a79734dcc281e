"""The names of Python and the names of JSON."""

from __future__ import annotations

import copy
import keyword
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Dict, Iterable, Mapping, Tuple

# Objects of the merchant: their names are not ours to change.
_free = frozenset({"metadata"})


@lru_cache(maxsize=4096)
def to_camel(name: str) -> str:
    """`account_number` is `accountNumber`, and `from_` is `from`."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name.rstrip("_"))


@lru_cache(maxsize=4096)
def to_snake(name: str) -> str:
    snake = re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: f"_{match[0].lower()}", name)
    return f"{snake}_" if keyword.iskeyword(snake) else snake


class Unset:
    """Left out, where None would be sent as null."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET = Unset()


def to_input(values: Mapping[str, Any], nullable: Tuple[str, ...] = ()) -> Dict[str, Any]:
    """The arguments that were given, by their names in the API."""
    return {
        name: value if name in _free else to_json(name, value)
        for name, value in values.items()
        if value is not UNSET and (value is not None or name in nullable)
    }


def to_json(path: str, value: Any) -> Any:
    """A value with the names of the API. Rejects floats, which cannot hold money exactly."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {
            to_camel(name): inner if name in _free else to_json(f"{path}.{name}", inner)
            for name, inner in value.items()
        }
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return [to_json(f"{path}[{index}]", inner) for index, inner in enumerate(value)]
    hint = "its isoformat()" if hasattr(value, "isoformat") else "kobo as int, coins as str"
    raise TypeError(f"{path} is of type {type(value).__name__}. Send {hint}.")


class Model:
    """An object of the API. Read only; fields that this version does not know are kept.

    A field that the service left out is None; `to_dict()` tells it from null.
    """

    _json: Dict[str, Any]
    _nested: ClassVar[Mapping[str, str]] = {}

    def __init__(self, json: Dict[str, Any]) -> None:
        self.__dict__["_json"] = json

    def to_dict(self) -> Dict[str, Any]:
        """The JSON object as the service sent it, with the names of the API."""
        return copy.deepcopy(self._json)

    if not TYPE_CHECKING:  # So that a type checker finds misspelt fields.

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            key = name if name in self._json else to_camel(name)
            if key in self._json:
                value = self._read(name, self._json[key])
            elif name in type(self).__annotations__:
                value = None
            else:
                raise AttributeError(f"{type(self).__name__} has no field {name!r}")
            self.__dict__[name] = value
            return value

    def _read(self, name: str, value: Any) -> Any:
        if name not in self._nested:
            return value
        kind = getattr(sys.modules[type(self).__module__], self._nested[name])
        if isinstance(value, list):
            return [kind(item) if isinstance(item, dict) else item for item in value]
        return kind(value) if isinstance(value, dict) else value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is read only")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and type(other) is type(self) and other._json == self._json

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{to_snake(key)}={show(key, self)}" for key in self._json)
        return f"{type(self).__name__}({fields})"

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *map(to_snake, self._json)]


def show(key: str, model: Model) -> str:
    """A logged object must not reveal the secret of a webhook endpoint."""
    return "'[secret]'" if key == "secret" else repr(getattr(model, to_snake(key)))
