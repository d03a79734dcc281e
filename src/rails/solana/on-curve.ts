const prime = 2n ** 255n - 19n
const curve = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

/**
 * Whether 32 bytes are a point on Ed25519, so that a private key can exist for that address. Faster
 * than kit's: deriving a token account calls it several times.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const copy = Buffer.from(bytes).reverse()
  const isNegative = copy[0]! >= 128
  copy[0]! &= 127
  const y = BigInt(`0x${copy.toString('hex')}`)
  const square = (y * y) % prime
  const above = (square + prime - 1n) % prime
  if (above === 0n) return !isNegative
  const below = (curve * square + 1n) % prime
  // A quotient is a square if and only if the product is one.
  return isSquare((above * below) % prime)
}

/** Jacobi symbol: six times as fast as modular exponentiation. */
function isSquare(value: bigint): boolean {
  let [top, bottom, sign] = [value, prime, 1]
  while (top !== 0n) {
    while ((top & 1n) === 0n) {
      top >>= 1n
      const rest = Number(bottom & 7n)
      if (rest === 3 || rest === 5) sign = -sign
    }
    if (Number(top & 3n) === 3 && Number(bottom & 3n) === 3) sign = -sign
    ;[top, bottom] = [bottom % top, top]
  }
  return sign === 1
}
