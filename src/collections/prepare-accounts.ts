import { createHash } from 'node:crypto'
import type { Environment, Mode } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { findPrimary } from '../merchants/bank-accounts.js'
import { isKycApproved } from '../merchants/kyc.js'
import { gather } from '../postgres/gather.js'
import type { Reader } from '../postgres/tx.js'
import { showAccount } from '../resources/collection-account.js'
import {
  type AccountKind,
  accountKinds,
  accountReference,
  type CollectionAccount,
  isDedicated,
} from './account.js'
import type { OrderedAccount } from './create-accounts.js'
import type { AccountOpening, CollectionRail, OpenedAccount } from './ports.js'

/** What a merchant asks for. */
export type AccountRequest = {
  environment: Environment
  kind: AccountKind
  merchantReference: string
  metadata: string
  /** The name that payers see at their bank. */
  name: string
  /** Null: any amount, for ever. */
  expected: { amount: bigint; expiresAt: Date } | null
  /**
   * What names this very request, so that a retry is given the same number; undefined: it has no
   * name, and every request opens another one.
   */
  request: string | undefined
}

export type CollectionRails = Record<Mode, CollectionRail | undefined>

export type PrepareAccount = (now: Date, wish: AccountRequest) => Promise<OrderedAccount>

/**
 * Has the bank open numbers, before anything is written: what it is asked for is derived from the
 * request, so copies and races are given one number and none is orphaned.
 */
export function createAccountPreparation(tools: {
  db: Reader
  rails: CollectionRails
}): PrepareAccount {
  const { db, rails } = tools
  const asked = new Map<
    CollectionRail,
    (order: AccountOpening) => Promise<Outcome<OpenedAccount>>
  >()
  const openAt = (rail: CollectionRail, order: AccountOpening) => {
    const open = asked.get(rail) ?? gather((orders: AccountOpening[]) => rail.openAccounts(orders))
    asked.set(rail, open)
    return open(order)
  }

  return async (now, wish) => {
    const { environment, merchantReference, expected } = wish
    if (environment.mode === 'live') await refuseUnready(db, wish)
    const rail = rails[environment.mode]
    if (!rail) throw unavailable(wish)
    const id = newId(now)
    const opened = await openAt(rail, {
      reference: railReference(now, wish, id),
      name: wish.name,
      purpose: merchantReference,
      expected,
    })
    if (opened instanceof Refusal) throw opened
    const account = toCollectionAccount(now, wish, { id, rail: rail.name, asset: 'NGN', opened })
    return { account, shown: showAccount(account, []) }
  }
}

type Wish = Omit<AccountRequest, 'name'> & { requestedAmount?: string | null }
type Place = Pick<CollectionAccount, 'id' | 'rail' | 'asset'> & { opened: OpenedAccount }

/** Field by field: made of several objects it took a twentieth of the time of a request. */
export function toCollectionAccount(
  now: Date,
  { environment, kind, merchantReference, metadata, expected, requestedAmount }: Wish,
  { id, rail, asset, opened }: Place,
): CollectionAccount {
  return {
    environmentId: environment.id,
    id,
    kind,
    rail,
    number: opened.number,
    accountName: opened.accountName,
    bankCode: opened.bankCode,
    bankName: opened.bankName,
    asset,
    amount: expected?.amount ?? null,
    requestedAmount: requestedAmount ?? null,
    merchantReference,
    metadata,
    status: 'ACTIVE',
    variance: 'NONE',
    amountReceived: 0n,
    amountAccepted: 0n,
    amountHeld: 0n,
    amountReturning: 0n,
    amountReturned: 0n,
    eventSequence: isDedicated({ kind }) ? 1 : 0,
    sessionId: null,
    expiresAt: expected?.expiresAt ?? null,
    paidAt: null,
    endedAt: null,
    createdAt: now,
  }
}

/** In this order, so that a merchant hears first of what takes longest to mend. */
async function refuseUnready(db: Reader, { environment, kind }: AccountRequest): Promise<void> {
  const code = accountKinds[kind].refusal
  if (!(await isKycApproved(db, environment.id)))
    throw new Refusal(code, {
      reason: 'kyc_missing',
      message: 'The merchant has not been approved for live mode yet.',
    })
  if (!(await findPrimary(db, environment.id)))
    throw new Refusal(code, {
      reason: 'no_bank_account',
      message: 'The merchant has no primary active bank account in live mode.',
    })
}

function unavailable({ environment, kind }: AccountRequest): Refusal {
  return new Refusal(accountKinds[kind].refusal, {
    reason: 'rail_unavailable',
    message: `No bank is configured to open accounts in ${environment.mode} mode.`,
  })
}

/** As long as an answer is remembered: after that, the same key asks for something new. */
const { keptMs } = limits.idempotency

/** What is asked for again under the same reference is given the same place. */
export function railReference(now: Date, wish: Wish, id: string): string {
  const { environment, kind, merchantReference, request } = wish
  const name = isDedicated({ kind })
    ? merchantReference
    : request && `${request}/${Math.floor(now.getTime() / keptMs)}`
  if (name === undefined) return accountReference({ kind, id }).replace('_', '-')
  const digest = createHash('sha256').update(`${environment.id}/${kind}/${name}`).digest('hex')
  return `${accountKinds[kind].prefix.replace('_', '-')}${digest.slice(0, 40)}`
}
