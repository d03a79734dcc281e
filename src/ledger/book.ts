import { strict as assert } from 'node:assert'
import { limits } from '../base/limits.js'
import type { Asset } from '../money/assets.js'
import {
  type LedgerAccount,
  type LedgerAccountKey,
  type LedgerAccountName,
  mayOverdraw,
  type SubaccountName,
  spendable,
  subaccountIdOf,
} from './accounts.js'
import type {
  Moved,
  Movement,
  MovementEntry,
  MovementLine,
  NotMoved,
  SubaccountEntry,
} from './movement.js'

export type StatementEnd = { entryNumber: bigint; available: bigint }

const sumNames = [
  'debitsPending',
  'debitsPosted',
  'creditsPending',
  'creditsPosted',
  'entryCount',
] as const

/** The accounts of one environment and asset, by name. */
type Accounts = Partial<Record<LedgerAccountName, LedgerAccount>>

/**
 * The locked accounts of one batch, in memory. Movements are decided one after the other, each
 * against the balances after the previous one; then only the differences are written.
 */
export class Book {
  readonly #before: LedgerAccount[]
  readonly #current = new Map<string, Accounts>()

  constructor(accounts: LedgerAccount[]) {
    this.#before = accounts
    for (const account of accounts) {
      const place = placeOf(account)
      const found = this.#current.get(place) ?? {}
      found[account.name] = { ...account }
      this.#current.set(place, found)
    }
  }

  /** Applies all lines or none: a movement that is not covered or too large changes nothing. */
  move(movement: Movement): Moved | NotMoved {
    const accounts = this.#accountsOf(movement)
    const { lines } = movement
    assert(
      !movement.isHold || lines.every(({ debit }) => debit === lines[0]!.debit),
      'a hold debits one account',
    )
    const saved = lines.flatMap(({ debit, credit }) => [
      { ...accountIn(accounts, debit) },
      { ...accountIn(accounts, credit) },
    ])
    const entries: MovementEntry[] = []
    for (const line of lines) {
      assert(line.amount > 0n, 'a transfer has an amount')
      const why = apply(accounts, movement, line)
      if (why) {
        for (const account of saved) accounts[account.name] = account
        return { isMoved: false, why, available: spendable(accountIn(accounts, line.debit)) }
      }
      entries.push(number(accounts, [line.debit, line.credit]))
    }
    return { isMoved: true, entries }
  }

  /** The account if it is locked: what a sub-account owes has none until it owes something. */
  find({ environmentId, asset, name }: LedgerAccountKey): LedgerAccount | undefined {
    return this.#current.get(placeOf({ environmentId, asset }))?.[name]
  }

  /** The last number of a statement, and the balance after it. */
  endOfStatement(
    place: Pick<LedgerAccountKey, 'environmentId' | 'asset'>,
    name: 'available' | SubaccountName = 'available',
  ): StatementEnd {
    const account = accountIn(this.#current.get(placeOf(place)) ?? {}, name)
    return { entryNumber: account.entryCount, available: spendable(account) }
  }

  /** Settling posts the pending amounts; releasing removes them. */
  resolve(hold: Movement, verb: 'settle' | 'release'): MovementEntry {
    const accounts = this.#accountsOf(hold)
    for (const line of hold.lines) {
      const debit = accountIn(accounts, line.debit)
      const credit = accountIn(accounts, line.credit)
      debit.debitsPending -= line.amount
      credit.creditsPending -= line.amount
      if (verb === 'release') continue
      debit.debitsPosted += line.amount
      credit.creditsPosted += line.amount
    }
    return verb === 'release' ? number(accounts, [hold.lines[0]!.debit]) : offStatement
  }

  /** The differences of the accounts that changed. */
  changes(): LedgerAccount[] {
    return this.#before
      .map((before) => difference(this.#current.get(placeOf(before))![before.name]!, before))
      .filter((change) => sumNames.some((name) => change[name] !== 0n))
  }

  #accountsOf(movement: Movement): Accounts {
    return this.#current.get(placeOf(movement)) ?? {}
  }
}

function accountIn(accounts: Accounts, name: LedgerAccountName): LedgerAccount {
  const account = accounts[name]
  assert(account, `account ${name} is locked before it is used`)
  return account
}

function apply(
  accounts: Accounts,
  { asset, isHold }: Movement,
  line: MovementLine,
): NotMoved['why'] | undefined {
  const debit = accountIn(accounts, line.debit)
  const credit = accountIn(accounts, line.credit)
  if (!mayOverdraw(line.debit) && spendable(debit) < line.amount) return 'not_covered'

  const debits = (isHold ? debit.debitsPending : debit.debitsPosted) + line.amount
  const credits = (isHold ? credit.creditsPending : credit.creditsPosted) + line.amount
  if (debits > limits.money.ledgerMax || credits > limits.money.ledgerMax) return 'beyond_limit'
  if (isHold) {
    debit.debitsPending = debits
    credit.creditsPending = credits
  } else {
    debit.debitsPosted = debits
    credit.creditsPosted = credits
  }

  // Held money counts, because a release gives it back and cannot be refused.
  const total = credit.creditsPosted + credit.creditsPending - credit.debitsPosted
  const isTooLarge = !mayOverdraw(line.credit) && total > balanceMax(asset)
  return isTooLarge ? 'beyond_limit' : undefined
}

/** Numbers a change on the statements of the accounts that have one. */
function number(accounts: Accounts, changed: LedgerAccountName[]): MovementEntry {
  let entry = offStatement
  let ofSubaccount: SubaccountEntry | undefined
  for (const name of changed) {
    const subaccountId = subaccountIdOf(name)
    if (name !== 'available' && subaccountId === undefined) continue
    const account = accountIn(accounts, name)
    account.entryCount += 1n
    const { entryCount } = account
    if (subaccountId === undefined)
      entry = { entryNumber: entryCount, availableAfter: spendable(account) }
    else {
      assert(!ofSubaccount, 'a transfer changes one sub-account')
      const subaccountAfter = spendable(account)
      ofSubaccount = { subaccountId, subaccountEntry: entryCount, subaccountAfter }
    }
  }
  return ofSubaccount ? { ...entry, ofSubaccount } : entry
}

function placeOf({ environmentId, asset }: Pick<LedgerAccountKey, 'environmentId' | 'asset'>) {
  return `${environmentId}/${asset}`
}

function difference(now: LedgerAccount, before: LedgerAccount): LedgerAccount {
  const change = { ...now }
  for (const name of sumNames) change[name] -= before[name]
  return change
}

const offStatement: MovementEntry = { entryNumber: null, availableAfter: null }

/** Naira balances are JSON integers in the API, so they stay in the exact range. */
function balanceMax(asset: Asset): bigint {
  return asset === 'NGN' ? limits.money.wireMax : limits.money.ledgerMax
}

export function ledgerKeyOf(account: LedgerAccountKey): string {
  return `${account.environmentId}/${account.asset}/${account.name}`
}
