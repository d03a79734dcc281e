import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import type { Seal } from '../../base/sealed.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { PreviousSecret } from '../deliveries/signing.js'

type SealedEndpoint = {
  environmentId: EnvironmentId
  id: string
  secret: string
  signingKey: string
  previousSecrets: string
}

/** Seals the secrets of all endpoints with the current secret; returns how many were changed. */
export async function resealEndpoints(db: Database, seal: Seal): Promise<number> {
  let changed = 0
  let last: Pick<SealedEndpoint, 'environmentId' | 'id'> | undefined
  do {
    const page = await resealPage(db, seal, last)
    changed += page.changed
    last = page.last
  } while (last)
  return changed
}

async function resealPage(
  db: Database,
  seal: Seal,
  after: Pick<SealedEndpoint, 'environmentId' | 'id'> = beforeFirst,
) {
  return db.transaction(async (tx) => {
    const rows = await tx.rows(sql<SealedEndpoint>`
      select environment_id, id, secret, signing_key, previous_secrets
      from webhook_endpoints
      where (environment_id, id) > (${after.environmentId}, ${after.id})
      order by environment_id, id limit ${limits.secret.endpointsPerBatchMax}
      for no key update`)
    let changed = 0
    for (const row of rows) {
      const secret = seal.reseal(row.secret)
      const signingKey = seal.reseal(row.signingKey)
      const previous = resealPrevious(seal, row.previousSecrets)
      if (secret === undefined && signingKey === undefined && previous === undefined) continue
      changed += 1
      tx.write(sql`
        update webhook_endpoints
        set secret = ${secret ?? row.secret}, signing_key = ${signingKey ?? row.signingKey},
          previous_secrets = ${previous ?? row.previousSecrets}
        where environment_id = ${row.environmentId} and id = ${row.id}`)
    }
    return { changed, last: rows.at(-1) }
  })
}

const beforeFirst = {
  environmentId: 0 as EnvironmentId,
  id: '00000000-0000-0000-0000-000000000000',
}

function resealPrevious(seal: Seal, stored: string): string | undefined {
  const list = JSON.parse(stored) as PreviousSecret[]
  const resealed = list.map((previous) => {
    const secret = seal.reseal(previous.secret)
    return secret === undefined ? previous : { secret, until: previous.until }
  })
  return resealed.some((previous, index) => previous !== list[index])
    ? JSON.stringify(resealed)
    : undefined
}
