import { isDeepStrictEqual } from 'node:util'
import type { EnvironmentTime } from '../../base/clock.js'
import { after, type RealTime } from '../../base/clock.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import type { Coin } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { lockEnvironment } from '../environments.js'
import { bankAccountLimits } from '../limits.js'
import { getSettings, writeDestination } from './settings.js'
import { destinationOf, hasRule, type SettlementChoice } from './settings-document.js'

const settlementWallets = new Table('settlement_wallets', {
  id: column.uuid(),
  asset: column.text<Coin>(),
  address: column.text(),
  usableFrom: column.time(),
  chosenByUser: column.uuid(),
  confirmedAt: column.time().orNull(),
})

/** A wallet that a member chose for settlements, in live mode or under an approval rule. */
export type SettlementWallet = typeof settlementWallets.row

/** The newest one. It counts only while the settings name it. */
export async function findSettlementWallet(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<SettlementWallet | undefined> {
  const [row] = await db.rows(sql<SettlementWallet>`
    select ${settlementWallets.columns} from settlement_wallets
    where environment_id = ${environmentId} order by id desc limit 1`)
  return row
}

type Choice = { destination: SettlementChoice; userId: string }

/**
 * Changes where settlements go. In live mode, and under an approval rule, settlements to a wallet
 * wait each time that it becomes the destination; choosing it again meanwhile changes nothing.
 */
export async function chooseDestination(
  tx: Tx,
  now: EnvironmentTime,
  environment: Environment,
  { destination, userId }: Choice,
): Promise<{ before: SettlementChoice; after: SettlementChoice }> {
  await lockEnvironment(tx, environment.id)
  const settings = await getSettings(tx, environment)
  const before = destinationOf(settings)
  const { payTo, asset, walletAddress } = destination
  const isSame = isDeepStrictEqual(before, destination)
  const waits = payTo === 'wallet' && (environment.mode === 'live' || hasRule(settings.approvals))
  // Before there was a rule, a wallet of test mode was not recorded.
  const isRecorded = isSame && isChosen(destination, await findSettlementWallet(tx, environment.id))
  if (isSame && (!waits || isRecorded)) return { before, after: before }
  await writeDestination(tx, now, environment.id, destination)
  const usableFrom = after(now, bankAccountLimits.walletUsableAfterMs)
  if (waits)
    tx.write(
      settlementWallets.insert(
        { id: newId(now), usableFrom, chosenByUser: userId },
        { environmentId: environment.id, asset, address: walletAddress, createdAt: now },
      ),
    )
  return { before, after: destination }
}

/** Whether the settings name this wallet. */
export function isChosen(
  { asset, walletAddress }: Pick<SettlementChoice, 'asset' | 'walletAddress'>,
  wallet: SettlementWallet | undefined,
): wallet is SettlementWallet {
  return wallet?.asset === asset && wallet.address === walletAddress
}

/** Records that a second member agrees to a wallet. The caller has checked who it is. */
export function confirmWallet(
  tx: Tx,
  now: RealTime,
  { environmentId, id, userId }: { environmentId: EnvironmentId; id: string; userId: string },
): void {
  tx.write(sql`
    update settlement_wallets set confirmed_at = ${now}, confirmed_by_user = ${userId}
    where environment_id = ${environmentId} and id = ${id} and confirmed_at is null`)
}
