"""Ed25519 (RFC 8032) for webhooks that are verified with a public key.

The standard library has no Ed25519. Verification handles nothing secret, so it need not take
constant time.
"""

from __future__ import annotations

from hashlib import sha512
from typing import Optional, Tuple

# X, Y, Z, T with x = X/Z, y = Y/Z and xy = T/Z.
Point = Tuple[int, int, int, int]

_p = 2**255 - 19
_order = 2**252 + 27742317777372353535851937790883648493
_d = -121665 * pow(121666, -1, _p) % _p
_root_of_minus_1 = pow(2, (_p - 1) // 4, _p)
_neutral: Point = (0, 1, 1, 0)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether [s]B = R + [h]A. Every input in a form that RFC 8032 forbids is refused."""
    point = _decode(public_key)
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or len(signature) != 64 or scalar >= _order:
        return False
    x, y, z, t = point
    hashed = _hash(signature[:32] + public_key + message)
    # Both sides as bytes, so that an R which is no point, or not in its only form, never matches.
    return _encode(_multiply(scalar, _base, hashed, (_p - x, y, z, _p - t))) == signature[:32]


def _hash(message: bytes) -> int:
    return int.from_bytes(sha512(message).digest(), "little") % _order


def _add(one: Point, other: Point) -> Point:
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % _p, (y1 + x1) * (y2 + x2) % _p
    c, d = 2 * t1 * t2 * _d % _p, 2 * z1 * z2 % _p
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _p, g * h % _p, f * g % _p, e * h % _p


def _double(point: Point) -> Point:
    x, y, z, _ = point
    a, b = x * x % _p, y * y % _p
    h = a + b
    e, g = h - (x + y) * (x + y) % _p, a - b
    f = 2 * z * z % _p + g
    return e * f % _p, g * h % _p, f * g % _p, e * h % _p


def _multiply(first: int, one: Point, second: int = 0, other: Point = _neutral) -> Point:
    """[first]one + [second]other, with half the doublings of two products."""
    both = _add(one, other)
    result = _neutral
    for bit in range(max(first, second).bit_length() - 1, -1, -1):
        result = _double(result)
        choice = (first >> bit & 1) + 2 * (second >> bit & 1)
        if choice:
            result = _add(result, (one, other, both)[choice - 1])
    return result


def _encode(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, _p)
    x, y = x * inverse % _p, y * inverse % _p
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decode(encoded: bytes) -> Optional[Point]:
    number = int.from_bytes(encoded, "little")
    sign_of_x, y = number >> 255, number & (2**255 - 1)
    if len(encoded) != 32 or y >= _p:
        return None
    square = (y * y - 1) * pow(_d * y * y + 1, -1, _p) % _p
    x = pow(square, (_p + 3) // 8, _p)
    if x * x % _p != square:
        x = x * _root_of_minus_1 % _p
    if x * x % _p != square or (x == 0 and sign_of_x):
        return None
    x = _p - x if x & 1 != sign_of_x else x
    return x, y, 1, x * y % _p


_base: Point = _decode(bytes.fromhex("58" + "66" * 31)) or _neutral
