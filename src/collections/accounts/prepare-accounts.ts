import { hash } from 'node:crypto'
import { toEnvironmentTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { type JsonText, toJson } from '../../base/json-text.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { Secret } from '../../base/secret.js'
import { idempotencyLimits } from '../../idempotency/limits.js'
import { isKycApproved } from '../../merchants/kyc/kyc.js'
import { findPrimary } from '../../merchants/settings/bank-accounts.js'
import { findStandIn } from '../../merchants/settings/default-customer.js'
import { gatherByRail } from '../../payouts/requests/gather-by-rail.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { ChosenSplit, Split } from '../../subaccounts/splits/split.js'
import {
  type AccountCustomer,
  type AccountOpening,
  type BankRail,
  type CollectionRail,
  type CustomerField,
  findMissingFields,
  type OpenedAccount,
} from '../ports.js'
import type { Rails } from '../rails.js'
import {
  type AccountKind,
  accountKinds,
  accountReference,
  type CollectionAccount,
  isDedicated,
} from './account.js'
import type { PreparedAccount } from './create-accounts.js'
import { showAccount } from './resource.js'

export type AccountRequest = {
  environment: Environment
  kind: AccountKind
  merchantReference: string
  metadata: JsonText
  /** The account holder that payers see at their bank. */
  name: string
  /** Null: any amount, no expiry. */
  expected: { amount: bigint; expiresAt: Date } | null
  /** The customer of a dedicated account. */
  customer?: AccountCustomer | undefined
  /**
   * Whose invoices its payments pay; with an invoice, they pay this one. The row of the customer
   * has its name and addresses.
   */
  owner?: Pick<CollectionAccount, 'customerId' | 'invoiceId'> | undefined
  /** How its payments are split. */
  chosenSplit?: ChosenSplit | undefined
  /**
   * The same for every retry of a request, so that a retry gets the same number. Undefined: the
   * request has no idempotency key, and each copy opens another account.
   */
  retryKey: string | undefined
}

export type PrepareAccount = (
  now: Date,
  request: AccountRequest,
) => Promise<Outcome<PreparedAccount>>

/**
 * Has the bank open the number before anything is written. Its reference is derived from the
 * request, so retries and concurrent copies get the same number and none is orphaned.
 */
export function createAccountPreparation({
  db,
  seal,
  rails,
}: {
  db: Queryable
  seal: Seal
  rails: Rails
}): PrepareAccount {
  const openAt = gatherByRail((rail: CollectionRail, openings: AccountOpening[]) =>
    rail.openAccounts(openings),
  )
  return async (now, request) => {
    const { environment, merchantReference, name, expected } = request
    const notReady = environment.mode === 'live' && (await findMissing(db, request))
    if (notReady) return notReady
    const rail = rails.collectBankOf(environment)
    if (!rail) return railUnavailable(request)
    const customer = expected ? null : await completeCustomer({ db, seal, rail }, request)
    const id = newId(now)
    const reference = railReference(now, request, id)
    const opened = await openAt(rail, {
      reference,
      name,
      purpose: merchantReference,
      expected: expected && {
        amount: expected.amount,
        expiresAt: expected.expiresAt,
        lifetimeMs: expected.expiresAt.getTime() - now.getTime(),
      },
      customer,
    })
    if (opened instanceof Refusal) return opened
    const account = toCollectionAccount(now, request, {
      id,
      rail: rail.name,
      asset: 'NGN',
      opened,
    })
    const shown = showAccount(account, [], [], request.chosenSplit?.split)
    return { account, shown, newSplits: newSplitsOf(request) }
  }
}

const noCustomer: AccountCustomer = { name: '', email: '', phone: null, bvn: null, nin: null }

/**
 * Adds what the bank must know of a customer and the request lacks: from the setting
 * `dedicatedAccounts.defaultCustomer`, or the merchant's approved KYC.
 */
async function completeCustomer(
  { db, seal, rail }: { db: Queryable; seal: Seal; rail: BankRail },
  { environment, customer }: AccountRequest,
): Promise<AccountCustomer | null> {
  const missing = findMissingFields(rail.limits.customerNeeds, customer ?? null)
  if (missing.length === 0) return customer ?? null
  const standIn = await findStandIn(db, seal, environment)
  const { name, email, phone, bvn, nin } = customer ?? noCustomer
  const needs = (field: CustomerField) => missing.includes(field)
  return {
    name: needs('name') ? (standIn.name ?? '') : name,
    email: needs('email') ? (standIn.email ?? '') : email,
    phone: needs('phone') ? standIn.phone : phone,
    bvn: needs('bvn_or_nin') ? toSecret(standIn.bvn) : bvn,
    nin: needs('bvn_or_nin') ? toSecret(standIn.nin) : nin,
  }
}

function toSecret(number: string | null): Secret | null {
  return number === null ? null : new Secret(number)
}

type Requested = Omit<AccountRequest, 'name'> & { requestedAmount?: string | null }
type Opened = Pick<CollectionAccount, 'id' | 'rail' | 'asset'> & { opened: OpenedAccount }

export function toCollectionAccount(
  now: Date,
  {
    environment,
    kind,
    merchantReference,
    customer,
    owner,
    chosenSplit,
    metadata,
    expected,
    requestedAmount,
  }: Requested,
  { id, rail, asset, opened }: Opened,
): CollectionAccount {
  const storesCustomer = customer && kind === 'dedicated_account' && owner === undefined
  return {
    environmentId: environment.id,
    id,
    kind,
    rail,
    railAccount: opened.railAccount,
    number: opened.number,
    accountName: opened.accountName,
    bankCode: opened.bankCode,
    bankName: opened.bankName,
    asset,
    amount: expected?.amount ?? null,
    requestedAmount: requestedAmount ?? null,
    merchantReference,
    customer: storesCustomer ? toStored(customer) : null,
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
    customerId: owner?.customerId ?? null,
    invoiceId: owner?.invoiceId ?? null,
    splitId: chosenSplit?.split.id ?? null,
    expiresAt: expected && earlierOf(expected.expiresAt, closingTime(environment, opened)),
    paidAt: null,
    endedAt: null,
    cancellationReason: null,
    createdAt: now,
  }
}

export function newSplitsOf({ chosenSplit }: Pick<AccountRequest, 'chosenSplit'>): Split[] {
  return chosenSplit?.isNew ? [chosenSplit.split] : []
}

/** Identity numbers are for the bank only. A checkout session stores its customer itself. */
function toStored({ name, email, phone }: AccountCustomer): JsonText {
  return toJson({ name, email, phone })
}

/** When the bank closes the account, in the time of the environment. */
function closingTime({ clockOffsetMs }: Environment, { expiresAt }: OpenedAccount): Date | null {
  return expiresAt && toEnvironmentTime(expiresAt, clockOffsetMs)
}

/** A bank may close an account before the requested time: payments after that do not arrive. */
function earlierOf(requested: Date, closing: Date | null): Date {
  return closing !== null && closing < requested ? closing : requested
}

/** What the merchant lacks for live mode; first what takes longest to get. */
async function findMissing(
  db: Queryable,
  { environment, kind }: AccountRequest,
): Promise<Refusal | undefined> {
  const code = accountKinds[kind].refusal
  if (!(await isKycApproved(db, environment.id)))
    return new Refusal(code, {
      reason: 'kyc_missing',
      message: 'The merchant is not approved for live mode yet.',
    })
  if (!(await findPrimary(db, environment.id)))
    return new Refusal(code, {
      reason: 'no_bank_account',
      message: 'The merchant has no primary active bank account in live mode.',
    })
  return undefined
}

function railUnavailable({ environment, kind }: AccountRequest): Refusal {
  return new Refusal(accountKinds[kind].refusal, {
    reason: 'rail_unavailable',
    message: `No bank is configured to open accounts in ${environment.mode} mode.`,
  })
}

/** Once the answer is forgotten, the same key asks for a new account. */
const { retentionMs } = idempotencyLimits

/** The same for every copy of a request: a rail gives the same number for the same reference. */
export function railReference(now: Date, request: Requested, id: string): string {
  const { environment, kind, merchantReference, retryKey } = request
  const name = isDedicated({ kind })
    ? merchantReference
    : retryKey && `${retryKey}/${Math.floor(now.getTime() / retentionMs)}`
  if (name === undefined) return accountReference({ kind, id }).replace('_', '-')
  const digest = hash('sha256', `${environment.id}/${kind}/${name}`)
  return `${accountKinds[kind].prefix.replace('_', '-')}${digest.slice(0, 40)}`
}
