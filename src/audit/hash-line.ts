import { createHash } from 'node:crypto'

/** A line as stored, every field as PostgreSQL prints it. */
export type ChainedLine = {
  chain: string
  number: bigint
  id: string
  actor: string
  action: string
  merchantId: string | null
  environmentId: number | null
  /** The JSON text as stored. */
  details: string
  /** Microseconds since 1970. */
  createdAtUs: bigint
  userId: string | null
  sessionId: string | null
  address: string | null
  requestId: string | null
  previousHash: Buffer
  hash: Buffer
}

/** What the first line of a chain follows. */
export const noHash = Buffer.alloc(32)

/**
 * SHA-256 of the hash of the line before and of every field of this one. The database computes the
 * same when the line is written (`hash_audit_line`); this is the second implementation, for proofs.
 */
export function hashLine(line: ChainedLine): Buffer {
  const text = [
    'manilla audit line 1\n',
    field(line.chain),
    field(line.number),
    field(line.id),
    field(line.actor),
    field(line.action),
    field(line.merchantId),
    field(line.environmentId),
    field(line.details),
    field(line.createdAtUs),
    field(line.userId),
    field(line.sessionId),
    field(line.address),
    field(line.requestId),
  ]
  return createHash('sha256').update(line.previousHash).update(text.join('')).digest()
}

/** With its length, so that no two lines have the same text. */
function field(value: string | number | bigint | null): string {
  return value === null ? '-\n' : `${Buffer.byteLength(String(value))}:${value}\n`
}
