import { isDeepStrictEqual } from 'node:util'
import { after } from '../base/clock.js'
import type { Environment, EnvironmentId } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { limits } from '../base/limits.js'
import type { Coin } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import { lockEnvironment } from './environments.js'
import { getSettings, writeDestination } from './settings.js'
import { destinationOf, type SettlementDestination } from './settings-document.js'

/** A wallet that a member chose for the settlements of live mode. */
export type SettlementWallet = { asset: Coin; address: string; usableFrom: Date }

/** The newest one. It counts only while the settings name it. */
export async function findSettlementWallet(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<SettlementWallet | undefined> {
  const [row] = await db.rows(sql<SettlementWallet>`
    select asset, address, usable_from as "usableFrom" from settlement_wallets
    where environment_id = ${environmentId} order by id desc limit 1`)
  return row
}

type Choice = { destination: SettlementDestination; userId: string }

/**
 * Changes where settlements go. In live mode, settlements to a wallet wait each time that it
 * becomes the destination; choosing it again meanwhile changes nothing.
 */
export async function chooseDestination(
  tx: Tx,
  now: Date,
  environment: Environment,
  { destination, userId }: Choice,
): Promise<{ before: SettlementDestination; after: SettlementDestination }> {
  await lockEnvironment(tx, environment.id)
  const before = destinationOf(await getSettings(tx, environment))
  if (isDeepStrictEqual(before, destination)) return { before, after: before }
  await writeDestination(tx, now, environment.id, destination)
  const { payTo, asset, walletAddress } = destination
  if (environment.mode === 'live' && payTo === 'wallet')
    tx.write(sql`
      insert into settlement_wallets (environment_id, id, asset, address, usable_from,
        chosen_by_user, created_at)
      values (${environment.id}, ${newId(now)}, ${asset}, ${walletAddress},
        ${after(now, limits.settlements.walletUsableAfterMs)}, ${userId}, ${now})`)
  return { before, after: destination }
}
