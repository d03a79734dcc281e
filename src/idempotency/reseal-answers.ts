import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Seal } from '../base/sealed.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'

type ScannedAnswer = {
  environmentId: EnvironmentId
  digest: string
  /** Null in the row that ends a page and holds no secret. */
  sealed: string | null
}

/**
 * Seals remembered answers that hold a secret again; returns how many were changed. Such answers
 * are rare and need no index: the scan reads the table in pages by its primary key.
 */
export async function resealAnswers(db: Database, seal: Seal): Promise<number> {
  let changed = 0
  let last: ScannedAnswer | undefined
  do {
    const rows = await scanPage(db, last)
    for (const row of rows) if (await resealAnswer(db, seal, row)) changed += 1
    last = rows.at(-1)
  } while (last)
  return changed
}

async function scanPage(
  db: Database,
  { environmentId, digest }: Pick<ScannedAnswer, 'environmentId' | 'digest'> = beforeFirst,
): Promise<ScannedAnswer[]> {
  return db.rows(sql<ScannedAnswer>`
    select environment_id, digest, case when is_sealed then answer end as sealed
    from (
      select environment_id, digest, answer, is_sealed,
        lead(digest) over (order by environment_id, digest) is null as is_last
      from (
        select environment_id, digest, answer, is_sealed from idempotency_keys
        where (environment_id, digest) > (${environmentId}, ${digest})
        order by environment_id, digest limit ${limits.secret.keysScannedPerBatchMax}) as page
    ) as scanned
    where is_sealed or is_last
    order by environment_id, digest`)
}

const beforeFirst = {
  environmentId: 0 as EnvironmentId,
  digest: '00000000-0000-0000-0000-000000000000',
}

async function resealAnswer(
  db: Database,
  seal: Seal,
  { environmentId, digest, sealed }: ScannedAnswer,
): Promise<boolean> {
  const resealed = sealed === null ? undefined : seal.reseal(sealed)
  if (resealed === undefined) return false
  await db.rows(sql`
    update idempotency_keys set answer = ${resealed}
    where environment_id = ${environmentId} and digest = ${digest}
      and is_sealed and answer = ${sealed}`)
  return true
}
