import type { Clock } from '../../../base/clock.js'
import type { Mode } from '../../../base/environment.js'
import type { Database } from '../../../postgres/database.js'
import { sql } from '../../../postgres/sql.js'
import { insertInto } from '../../../postgres/table.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import type { PinnedChain } from './chain-identity.js'

/** Two processes that start at once against different chains get the same one. */
export function createPinnedChain({
  db,
  clock,
  mode,
}: {
  db: Database
  clock: Clock
  mode: Mode
}): PinnedChain {
  return {
    find: () => findPinnedChain(db, mode),
    async pin(genesisHash) {
      const pinned = insertInto('chains', { mode, genesisHash, pinnedAt: clock.now() })
      await db.rows(sql`${pinned} on conflict do nothing`)
      return (await findPinnedChain(db, mode))!
    },
  }
}

export async function findPinnedChain(db: Queryable, mode: Mode): Promise<string | undefined> {
  const [chain] = await db.rows(sql<{ genesisHash: string }>`
    select genesis_hash from chains where mode = ${mode}`)
  return chain?.genesisHash
}
