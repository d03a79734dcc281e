import type { Seal } from './base/sealed.js'
import { connect } from './postgres/connection.js'
import { migrate } from './postgres/migrate.js'
import { sql } from './postgres/sql.js'
import { inTransaction } from './postgres/tx.js'

/**
 * Brings the database up to date and makes sure that this process holds the secret it belongs to.
 */
export async function prepareDatabase(url: string, seal: Seal): Promise<string[]> {
  const applied = await migrate(url)
  const fingerprint = seal.hash('fingerprint')
  const client = await connect(url, 'manilla start')
  try {
    const [kept] = await inTransaction(client, async (tx) => {
      tx.write(sql`
        insert into installation (secret_fingerprint) values (${fingerprint})
        on conflict do nothing`)
      return tx.rows(sql<{ fingerprint: Buffer }>`
        select secret_fingerprint as fingerprint from installation`)
    })
    if (kept!.fingerprint.equals(fingerprint)) return applied
  } finally {
    await client.end()
  }
  throw new Error(
    'This database belongs to another secret: its API keys cannot be checked with this one. ' +
      'Set the MANILLA_SECRET it was made with, or restore the file `secret` in MANILLA_HOME.',
  )
}
