import type { EnvironmentId } from '../base/environment.js'
import type { Outcome } from '../base/refusal.js'
import type { Seal } from '../base/sealed.js'
import { gather } from '../postgres/transactions/gather.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { fromStored, type KeyedAnswer } from './answer.js'
import { replay } from './at-most-once.js'
import type { IdempotencyKey } from './key.js'
import { findIdempotencyKeys } from './store-keys.js'

type KeyedRequest = { environmentId: EnvironmentId; key: IdempotencyKey }

export type FindReplay = (request: KeyedRequest) => Promise<Outcome<KeyedAnswer> | undefined>

/**
 * Finds the answer to an earlier request with the same key. Called before anything that depends on
 * time or state, so that a retry gets its first answer even when the request is no longer valid.
 */
export function createReplayFinder(db: Queryable, seal: Seal): FindReplay {
  return gather(async (requests: KeyedRequest[]) => {
    const rows = requests.map(({ environmentId, key }) => ({
      environmentId,
      digest: key.digest,
    }))
    const found = await db.rows(findIdempotencyKeys(rows))
    const known = new Map(found.map((row) => [`${row.environmentId}/${row.digest}`, row]))
    return requests.map(({ environmentId, key }) => {
      const row = known.get(`${environmentId}/${key.digest}`)
      return row && replay(key, row, () => fromStored(row, seal))
    })
  })
}
