import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import type { RealTime } from '../base/clock.js'
import { unusedId } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import { upsert } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { signInLimits } from './limits.js'

/** Parameters of scrypt. */
export type PasswordCost = { cost: number; blockSize: number; parallelism: number }

type PasswordHash = PasswordCost & { salt: Buffer; hash: Buffer }

/** 128 MiB and about half a second of one core. */
export const standardCost: PasswordCost = { cost: 2 ** 17, blockSize: 8, parallelism: 1 }

export type Passwords = {
  hash(password: string): Promise<PasswordHash>
  /** Does the same work, and answers false, when there is no password to compare with. */
  isRight(password: string, stored: PasswordHash | undefined): Promise<boolean>
  /** How many hashes were computed. */
  readonly hashCount: number
}

/**
 * Hashes two passwords at a time: each takes 128 MiB, and a thread that file and DNS access need,
 * too.
 */
export function createPasswords(cost: PasswordCost = standardCost): Passwords {
  const { hashesRunningMax, hashesWaitingMax } = signInLimits
  const waiting: (() => void)[] = []
  let running = 0
  let hashCount = 0

  async function compute(password: string, salt: Buffer, given: PasswordCost): Promise<Buffer> {
    if (running >= hashesRunningMax) {
      if (waiting.length >= hashesWaitingMax) throw tooBusy()
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    hashCount += 1
    try {
      return await deriveKey(password, salt, given)
    } finally {
      // The next one takes over the place.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(16)
      return { ...cost, salt, hash: await compute(password, salt, cost) }
    },
    async isRight(password, stored) {
      const salt = stored?.salt ?? randomBytes(16)
      const hash = await compute(password, salt, stored ?? cost)
      return stored !== undefined && timingSafeEqual(hash, stored.hash)
    },
    get hashCount() {
      return hashCount
    },
  }
}

function tooBusy(): Refusal {
  return new Refusal('rate_limited', {
    message: 'Too many people are signing in right now. Try again in a moment.',
    retryAfterSeconds: 5,
  })
}

function deriveKey(
  password: string,
  salt: Buffer,
  { cost, blockSize, parallelism }: PasswordCost,
): Promise<Buffer> {
  const options: ScryptOptions = {
    N: cost,
    r: blockSize,
    p: parallelism,
    // What scrypt needs, and as much again: OpenSSL counts some bytes more.
    maxmem: 256 * cost * blockSize * parallelism,
  }
  return new Promise((resolve, reject) => {
    scrypt(normalize(password), salt, 32, options, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}

/** Keyboards write the same letter as different code points. */
function normalize(password: string): string {
  return password.normalize('NFKC')
}

/** Runs for unknown users, too, so that they cost the same. */
export async function findPassword(
  db: Queryable,
  userId: string = unusedId,
): Promise<PasswordHash | undefined> {
  const [row] = await db.rows(sql<PasswordHash>`
    select salt, hash, cost, block_size, parallelism
    from passwords where user_id = ${userId}`)
  return row
}

export function savePassword(tx: Tx, now: RealTime, userId: string, password: PasswordHash): void {
  const { salt, hash, cost, blockSize, parallelism } = password
  const saved = { salt, hash, cost, blockSize, parallelism, changedAt: now }
  tx.write(upsert('passwords', { userId }, saved))
}
