import { type Config, usesSandbox } from './base/config.js'
import { createSeal } from './base/sealed.js'
import { connect } from './postgres/connection.js'
import { migrate, type Scope } from './postgres/migrate.js'
import { sql } from './postgres/sql.js'
import { inTransaction } from './postgres/tx.js'

/**
 * Applies missing migrations and returns their names. Refuses a database that was created with
 * another secret.
 */
export async function prepareDatabase(
  url: string,
  { secret, bank }: Pick<Config, 'secret' | 'bank'>,
  scope: Scope = { simulation: usesSandbox(bank) },
): Promise<string[]> {
  const applied = await migrate(url, scope)
  const fingerprint = createSeal(secret).hash('fingerprint')
  const client = await connect(url, 'manilla start')
  try {
    const [installation] = await inTransaction(client, async (tx) => {
      tx.write(sql`
        insert into installation (secret_fingerprint) values (${fingerprint})
        on conflict do nothing`)
      return tx.rows(sql<{ fingerprint: Buffer }>`
        select secret_fingerprint as fingerprint from installation`)
    })
    if (installation!.fingerprint.equals(fingerprint)) return applied
  } finally {
    await client.end()
  }
  throw new Error(
    'This database belongs to another secret: its API keys cannot be checked with this one. ' +
      'Set the MANILLA_SECRET it was created with, or restore the file `secret` in MANILLA_HOME.',
  )
}
