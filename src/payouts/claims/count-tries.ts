import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Passwords } from '../../team/passwords.js'
import { claimLimits } from '../limits.js'
import type { Claim } from './claim.js'

export type WordVerdict = 'right' | 'wrong' | 'locked'

/**
 * Compares the secret word. A guess is counted before it is compared, so that guesses sent at once
 * are no more than those sent one after the other. A right one is given back.
 */
export async function judgeWord(
  { db, passwords }: { db: Queryable; passwords: Passwords },
  claim: Claim,
  word: string,
): Promise<WordVerdict> {
  const { wordHash: hash, wordSalt: salt, wordCost: cost } = claim
  const { wordBlockSize: blockSize, wordParallelism: parallelism } = claim
  if (hash === null) return 'right'
  if ((await countTry(db, claim, 'guesses')) === undefined) return 'locked'
  const stored = {
    hash,
    salt: salt!,
    cost: cost!,
    blockSize: blockSize!,
    parallelism: parallelism!,
  }
  let isRight: boolean
  try {
    isRight = await passwords.isRight(word, stored)
  } catch (error) {
    // Too many words wait to be hashed: this one was not compared.
    await giveBackGuess(db, claim)
    throw error
  }
  if (!isRight) return 'wrong'
  await giveBackGuess(db, claim)
  return 'right'
}

async function giveBackGuess(db: Queryable, { environmentId, id }: Claim): Promise<void> {
  await db.rows(sql`
    update claims set guesses = guesses - 1
    where environment_id = ${environmentId} and id = ${id} and guesses > 0`)
}

/** Counts a bank account or wallet that is looked up. Returns false when that locks the claim. */
export async function countLookup(db: Queryable, claim: Claim): Promise<boolean> {
  const count = await countTry(db, claim, 'lookups')
  return count !== undefined && count < claimLimits.lookupsMax
}

const triesMax = { guesses: claimLimits.guessesMax, lookups: claimLimits.lookupsMax }

/** The count with this try; undefined if there were too many before. */
async function countTry(
  db: Queryable,
  { environmentId, id }: Claim,
  counter: keyof typeof triesMax,
): Promise<number | undefined> {
  const column = sql.raw(counter)
  const [counted] = await db.rows(sql<{ count: number }>`
    update claims set ${column} = ${column} + 1
    where environment_id = ${environmentId} and id = ${id} and status = 'OPEN'
      and ${column} < ${triesMax[counter]}
    returning ${column} as count`)
  return counted?.count
}
