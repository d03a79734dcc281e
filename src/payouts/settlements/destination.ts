import { isDeepStrictEqual } from 'node:util'
import type { Static } from 'typebox'
import type { RealTime } from '../../base/clock.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { toJson } from '../../base/json-text.js'
import { Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import { lockEnvironment } from '../../merchants/environments.js'
import {
  type BankAccount,
  confirmBankAccount,
  findPrimary,
  getActive,
} from '../../merchants/settings/bank-accounts.js'
import { getSettings } from '../../merchants/settings/settings.js'
import {
  confirmWallet,
  findSettlementWallet,
  isChosen,
} from '../../merchants/settings/settlement-wallets.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { explainWait, findFreedom } from '../../team/shared-access.js'
import type { settlementDestination } from './destination-resource.js'

/**
 * Whether settlements wait until a second member confirms the bank account or wallet that a member
 * chose: under an approval rule, and in live mode if the bank names another holder. An operator can
 * confirm a bank account, too.
 */
export async function isUnconfirmed(
  db: Queryable,
  environmentId: EnvironmentId,
  payTo: 'bank' | 'wallet',
): Promise<boolean> {
  const [row] = await db.rows(sql<{ isWaiting: boolean }>`
    select is_unconfirmed(${environmentId}, ${payTo === 'wallet'}) as is_waiting`)
  return row!.isWaiting
}

export function unconfirmed(payTo: 'bank' | 'wallet'): Refusal {
  const [code, message] =
    payTo === 'bank'
      ? ([
          'bank_transfer_failed',
          'The primary bank account was chosen by one member. Settlements to it wait until another owner or admin, or the operator, confirms it.',
        ] as const)
      : ([
          'crypto_transfer_failed',
          'The wallet for settlements was chosen by one member. Settlements to it wait until another owner or admin confirms it in the console.',
        ] as const)
  return new Refusal(code, { reason: 'destination_unconfirmed', message })
}

/** Where settlements go. */
export type SettlementDestination = Omit<Static<typeof settlementDestination>, 'usableFrom'> & {
  usableFrom: Date | null
}

export async function readSettlementDestination(
  db: Queryable,
  environment: Environment,
): Promise<SettlementDestination> {
  const { settlement } = await getSettings(db, environment)
  const { payTo, asset, walletAddress } = settlement
  const needsConfirmation = await isUnconfirmed(db, environment.id, payTo)
  if (payTo === 'wallet') {
    const wallet = await findSettlementWallet(db, environment.id)
    return {
      payTo,
      bankCode: null,
      accountNumber: null,
      accountName: null,
      asset,
      walletAddress,
      nameDiffers: false,
      needsConfirmation,
      usableFrom: isChosen(settlement, wallet) ? wallet.usableFrom : null,
    }
  }
  const account = await findPrimary(db, environment.id)
  return {
    payTo,
    bankCode: account?.bankCode ?? null,
    accountNumber: account?.accountNumber ?? null,
    accountName: account?.accountName ?? null,
    asset: null,
    walletAddress: null,
    nameDiffers: account?.nameDiffers ?? false,
    needsConfirmation,
    usableFrom: account?.usableFrom ?? null,
  }
}

/**
 * Emits an event if settlements go elsewhere than before, so that the merchant learns of it while
 * they wait.
 */
export async function announceDestination(
  tx: Tx,
  now: RealTime,
  environment: Environment,
  before: SettlementDestination,
): Promise<void> {
  const after = await readSettlementDestination(tx, environment)
  if (isDeepStrictEqual(identityOf(before), identityOf(after))) return
  const id = newId(now)
  emitAll(tx, now, [
    {
      environmentId: environment.id,
      type: 'settlement_destination.changed',
      resourceId: id,
      causeId: id,
      sequence: 1,
      data: toJson(after),
    },
  ])
}

function identityOf({
  payTo,
  bankCode,
  accountNumber,
  asset,
  walletAddress,
}: SettlementDestination) {
  return { payTo, bankCode, accountNumber, asset, walletAddress }
}

type Confirmation = { environment: Environment; userId: string }

/** A second owner or admin confirms a bank account. */
export async function confirmAccount(
  tx: Tx,
  at: Date,
  { environment, userId, reference }: Confirmation & { reference: string },
): Promise<BankAccount> {
  const name = { environmentId: environment.id, reference }
  // Before the account is read: until then another member may add it again.
  await lockEnvironment(tx, environment.id)
  const { chosenByUser, confirmedAt } = await getActive(tx, name)
  if (chosenByUser !== null && !confirmedAt) await refuseChooser(tx, at, { chosenByUser, userId })
  return confirmBankAccount(tx, at, { ...name, userId })
}

/** A second owner or admin confirms the wallet that the settings showed to them. */
export async function confirmChosenWallet(
  tx: Tx,
  at: Date,
  { environment, userId, walletAddress }: Confirmation & { walletAddress: string },
): Promise<void> {
  await lockEnvironment(tx, environment.id)
  const { settlement } = await getSettings(tx, environment)
  const wallet = await findSettlementWallet(tx, environment.id)
  if (settlement.payTo !== 'wallet' || !isChosen(settlement, wallet))
    throw new Refusal('not_found', { message: 'No wallet waits for a confirmation.' })
  if (wallet.address !== walletAddress)
    throw new Refusal('validation_failed', {
      reason: 'invalid_state',
      message: 'The wallet for settlements was changed meanwhile. Read it again, then decide.',
      details: [{ field: 'walletAddress', issue: 'is not the wallet of the settings' }],
    })
  if (wallet.confirmedAt) return
  await refuseChooser(tx, at, { chosenByUser: wallet.chosenByUser, userId })
  confirmWallet(tx, at, { environmentId: environment.id, id: wallet.id, userId })
}

async function refuseChooser(
  tx: Tx,
  at: Date,
  { chosenByUser, userId }: { chosenByUser: string; userId: string },
): Promise<void> {
  if (chosenByUser === userId)
    throw new Refusal('forbidden', {
      reason: 'second_member_required',
      message: 'You chose this destination. Another owner or admin must confirm it.',
    })
  const freedom = await findFreedom(tx, at, [userId, chosenByUser])
  if (freedom.from > at)
    throw new Refusal('forbidden', {
      reason: 'shared_access',
      message: `You may confirm this destination ${explainWait(freedom, { userId, at })}. Until then another owner or admin must confirm it.`,
    })
}
