import { timingSafeEqual } from 'node:crypto'
import type { Seal } from '../base/sealed.js'
import { chainName, readChainName } from './chain.js'
import type { KnownHead } from './verify-chain.js'

export type SignedHead = KnownHead & { signedAt: Date }

/**
 * `valid`: this installation signed it. `forged`: it did not. `other_secret`: it names a secret
 * that is not configured, so its signature cannot be checked.
 */
export type Signature = 'valid' | 'forged' | 'other_secret'

type CopiedHead = { head: SignedHead; signature: Signature }

/** `mer_…=12:<hash>@<time>#<secret>.<signature>`; found in any text, such as a log line. */
const pattern =
  /\b(\w+)=(\d{1,18}):([0-9a-f]{64})@([\d-]{10}T[\d:.]{12}Z)#([0-9a-f]{8})\.([0-9a-f]{64})\b/g

/** One word without spaces or quotes, so that log shippers keep it in one piece. */
export function signHead(seal: Seal, now: Date, { chain, number, hash }: KnownHead): string {
  const text = `${chainName(chain)}=${number}:${hash.toString('hex')}@${now.toISOString()}`
  return `${text}#${nameSecret(seal.fingerprint)}.${seal.hash(toSign(text)).toString('hex')}`
}

/** Every signed head in a text. */
export function readSignedHeads(seal: Seal, text: string): CopiedHead[] {
  return [...text.matchAll(pattern)].flatMap(([word, name, number, hash, time, secret, sent]) => {
    const chain = readChainName(name!)
    const signedAt = new Date(time!)
    if (chain === undefined || Number.isNaN(signedAt.getTime())) return []
    const head = { chain, number: BigInt(number!), hash: Buffer.from(hash!, 'hex'), signedAt }
    const signed = word.slice(0, word.lastIndexOf('#'))
    return [{ head, signature: checkSignature(seal, signed, { secret: secret!, sent: sent! }) }]
  })
}

function checkSignature(
  seal: Seal,
  text: string,
  { secret, sent }: { secret: string; sent: string },
): Signature {
  const given = Buffer.from(sent, 'hex')
  const expected = [
    seal.hash(toSign(text)),
    ...seal.otherHashes(toSign(text)).map(({ hash }) => hash),
  ]
  if (expected.some((hash) => timingSafeEqual(hash, given))) return 'valid'
  const known = [seal.fingerprint, ...seal.otherHashes('fingerprint').map(({ hash }) => hash)]
  return known.some((fingerprint) => nameSecret(fingerprint) === secret) ? 'forged' : 'other_secret'
}

/** Starts as no API key does: `Seal.hash` hashes those with the same key. */
function toSign(text: string): string {
  return `manilla audit head ${text}`
}

function nameSecret(fingerprint: Buffer): string {
  return fingerprint.toString('hex').slice(0, 8)
}
