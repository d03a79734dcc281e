from __future__ import annotations

import hashlib
import unittest

from manilla import _ed25519
from manilla._ed25519 import verify

# RFC 8032, section 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e3970"
        "1cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613"
        "d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760"
        "984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        hashlib.sha512(b"abc").hexdigest(),
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c6"
        "6431e0303dca179c138ac17ad9bef1177331a704",
    ),
]

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493


def number(value: int) -> bytes:
    return value.to_bytes(32, "little")


class Vectors(unittest.TestCase):
    def test_signatures_of_the_rfc_verify(self) -> None:
        for public, message, signature in VECTORS:
            with self.subTest(message=message):
                parts = [bytes.fromhex(part) for part in (public, message, signature)]
                self.assertTrue(verify(*parts))

    def test_any_flipped_bit_is_refused(self) -> None:
        public, message, signature = (bytes.fromhex(part) for part in VECTORS[2])
        for place in range(0, 512, 7):
            changed = bytearray(signature)
            changed[place // 8] ^= 1 << place % 8
            self.assertFalse(verify(public, message, bytes(changed)), place)
        for place in range(0, 256, 11):
            changed = bytearray(public)
            changed[place // 8] ^= 1 << place % 8
            self.assertFalse(verify(bytes(changed), message, signature), place)
        self.assertFalse(verify(public, message + b"\0", signature))


class Malformed(unittest.TestCase):
    def setUp(self) -> None:
        public, message, signature = (bytes.fromhex(part) for part in VECTORS[1])
        self.public, self.message, self.signature = public, message, signature

    def test_a_scalar_that_is_not_reduced(self) -> None:
        scalar = int.from_bytes(self.signature[32:], "little")
        # The same equation holds for it: only the range tells the two apart.
        for other in (scalar + ORDER, scalar + 2 * ORDER, ORDER, 2**256 - 1):
            signature = self.signature[:32] + number(other)
            self.assertFalse(verify(self.public, self.message, signature), other)

    def test_lengths(self) -> None:
        for signature in (b"", self.signature[:63], self.signature + b"\0", self.signature[:32]):
            self.assertFalse(verify(self.public, self.message, signature))
        for public in (b"", self.public[:31], self.public + b"\0"):
            self.assertFalse(verify(public, self.message, self.signature))

    def test_points_that_are_not_on_the_curve(self) -> None:
        # About half of all numbers are no y of a point.
        off = [y for y in range(2, 40) if _ed25519._decode(number(y)) is None]
        self.assertGreater(len(off), 10)
        for y in off:
            self.assertFalse(verify(number(y), self.message, self.signature))
            self.assertFalse(verify(self.public, self.message, number(y) + self.signature[32:]))

    def test_forms_that_are_not_the_only_one(self) -> None:
        # y at or above p, and "minus zero" as x.
        for y in (P, P + 1, P + 18, 2**255 - 1):
            for sign_bit in (0, 1 << 255):
                self.assertIsNone(_ed25519._decode(number(y | sign_bit)))
        for y in (1, P - 1):
            self.assertIsNotNone(_ed25519._decode(number(y)))
            self.assertIsNone(_ed25519._decode(number(y | 1 << 255)))

    def test_a_commitment_that_is_not_in_its_only_form(self) -> None:
        # With the neutral point as key and commitment and s = 0 the equation holds for any message.
        neutral = number(1)
        self.assertTrue(verify(neutral, b"any", neutral + number(0)))
        for form in (number(P + 1), number(1 | 1 << 255)):
            self.assertFalse(verify(neutral, b"any", form + number(0)))
            self.assertFalse(verify(form, b"any", neutral + number(0)))


class Arithmetic(unittest.TestCase):
    def test_the_order_of_the_base_point(self) -> None:
        encode, multiply, base = _ed25519._encode, _ed25519._multiply, _ed25519._base
        self.assertEqual(encode(multiply(ORDER, base)), number(1))
        self.assertEqual(encode(multiply(ORDER + 5, base)), encode(multiply(5, base)))

    def test_doubling_is_adding_a_point_to_itself(self) -> None:
        point = _ed25519._base
        for _ in range(50):
            doubled = _ed25519._encode(_ed25519._double(point))
            self.assertEqual(doubled, _ed25519._encode(_ed25519._add(point, point)))
            point = _ed25519._add(_ed25519._double(point), _ed25519._base)

    def test_two_products_at_once(self) -> None:
        encode, add, multiply = _ed25519._encode, _ed25519._add, _ed25519._multiply
        base = _ed25519._base
        other = multiply(987654321, base)
        for first, second in ((0, 0), (1, 0), (0, 1), (3, 5), (ORDER - 1, 2**200 + 7)):
            both = multiply(first, base, second, other)
            apart = add(multiply(first, base), multiply(second, other))
            self.assertEqual(encode(both), encode(apart))
