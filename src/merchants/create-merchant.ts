import { strict as assert } from 'node:assert'
import type { RealTime } from '../base/clock.js'
import type { Environment, EnvironmentId, Mode } from '../base/environment.js'
import { newId, prefixes, toReference } from '../base/ids.js'
import { vatRates } from '../money/vat.js'
import { sql } from '../postgres/sql.js'
import { insertInto } from '../postgres/table.js'
import type { Tx } from '../postgres/transactions/tx.js'

export type Merchant = { id: string; reference: string; displayName: string; createdAt: Date }

export type NewMerchant = Merchant & { environments: Record<Mode, Environment> }

/** A merchant always has both environments. The live one starts without KYC approval. */
export async function createMerchant(
  tx: Tx,
  now: RealTime,
  displayName: string,
): Promise<NewMerchant> {
  const id = newId(now)
  tx.write(insertInto('merchants', { id, displayName, createdAt: now }))
  const rows = await tx.rows(sql<{ id: EnvironmentId; mode: Mode }>`
    insert into environments (merchant_id, mode, created_at)
    values (${id}, 'test', ${now}), (${id}, 'live', ${now}) returning id, mode`)

  for (const environment of rows) vatRates.noteEnvironment(environment)
  const environmentIn = (mode: Mode): Environment => {
    const row = rows.find((row) => row.mode === mode)
    assert(row, `merchant ${id} has a ${mode} environment`)
    return {
      id: row.id,
      mode,
      merchantId: id,
      merchantName: displayName,
      clockOffsetMs: 0,
      collectBank: null,
      payoutBank: null,
      isSuspended: false,
      hasRecipients: false,
    }
  }
  return {
    id,
    reference: toReference(prefixes.merchant, id),
    displayName,
    createdAt: now,
    environments: { test: environmentIn('test'), live: environmentIn('live') },
  }
}
