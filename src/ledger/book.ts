import { strict as assert } from 'node:assert'
import { limits } from '../base/limits.js'
import type { Asset } from '../money/assets.js'
import {
  type LedgerAccount,
  type LedgerAccountKey,
  type LedgerAccountName,
  mayOverdraw,
  spendable,
} from './accounts.js'
import type { Moved, Movement, MovementEntry, MovementLine, NotMoved } from './movement.js'

const sumNames = [
  'debitsPending',
  'debitsPosted',
  'creditsPending',
  'creditsPosted',
  'entryCount',
] as const

/**
 * The locked accounts of one batch, in memory. Movements are decided one after the other, each
 * against the balances after the previous one; then only the differences are written.
 */
export class Book {
  readonly #before: Map<string, LedgerAccount>
  readonly #current: Map<string, LedgerAccount>

  constructor(accounts: LedgerAccount[]) {
    this.#before = new Map(accounts.map((account) => [ledgerKeyOf(account), account]))
    this.#current = new Map(accounts.map((account) => [ledgerKeyOf(account), { ...account }]))
  }

  /** Applies all lines or none: a movement that is not covered or too large changes nothing. */
  move(movement: Movement): Moved | NotMoved {
    const names = movement.lines.flatMap((line) => [line.debit, line.credit])
    const saved = names.map((name) => ({ ...this.#account(movement, name) }))
    const entries: MovementEntry[] = []
    const hasOneDebit = movement.lines.every(({ debit }) => debit === movement.lines[0]!.debit)
    assert(!movement.isHold || hasOneDebit, 'a hold debits one account')

    for (const line of movement.lines) {
      assert(line.amount > 0n, 'a transfer has an amount')
      const why = this.#apply(movement, line)
      if (why) {
        for (const account of saved) this.#current.set(ledgerKeyOf(account), account)
        return { isMoved: false, why, available: spendable(this.#account(movement, line.debit)) }
      }
      entries.push(this.#entry(movement, line))
    }
    return { isMoved: true, entries }
  }

  /** Settling posts the pending amounts; releasing removes them. */
  resolve(hold: Movement, verb: 'settle' | 'release'): MovementEntry {
    for (const line of hold.lines) {
      const debit = this.#account(hold, line.debit)
      const credit = this.#account(hold, line.credit)
      debit.debitsPending -= line.amount
      credit.creditsPending -= line.amount
      if (verb === 'release') continue
      debit.debitsPosted += line.amount
      credit.creditsPosted += line.amount
    }
    const isOnStatement = verb === 'release' && hold.lines[0]!.debit === 'available'
    return isOnStatement ? this.#numbered(hold) : offStatement
  }

  /** The differences of the accounts that changed. */
  changes(): LedgerAccount[] {
    return [...this.#current.values()]
      .map((now) => difference(now, this.#before.get(ledgerKeyOf(now))!))
      .filter((change) => sumNames.some((name) => change[name] !== 0n))
  }

  #apply(movement: Movement, line: MovementLine): NotMoved['why'] | undefined {
    const debit = this.#account(movement, line.debit)
    const credit = this.#account(movement, line.credit)
    if (!mayOverdraw(line.debit) && spendable(debit) < line.amount) return 'not_covered'

    const sums = movement.isHold
      ? ([debit.debitsPending, credit.creditsPending] as const)
      : ([debit.debitsPosted, credit.creditsPosted] as const)
    const [debits, credits] = [sums[0] + line.amount, sums[1] + line.amount]
    if (debits > limits.money.ledgerMax || credits > limits.money.ledgerMax) return 'beyond_limit'
    if (movement.isHold) [debit.debitsPending, credit.creditsPending] = [debits, credits]
    else [debit.debitsPosted, credit.creditsPosted] = [debits, credits]

    // Held money counts, because a release gives it back and cannot be refused.
    const total = credit.creditsPosted + credit.creditsPending - credit.debitsPosted
    const isTooLarge = !mayOverdraw(line.credit) && total > balanceMax(movement.asset)
    return isTooLarge ? 'beyond_limit' : undefined
  }

  #entry(movement: Movement, line: MovementLine): MovementEntry {
    const isOnStatement = line.debit === 'available' || line.credit === 'available'
    return isOnStatement ? this.#numbered(movement) : offStatement
  }

  #numbered(movement: Movement): MovementEntry {
    const available = this.#account(movement, 'available')
    available.entryCount += 1n
    return { entryNumber: available.entryCount, availableAfter: spendable(available) }
  }

  #account(movement: Movement, name: LedgerAccountName): LedgerAccount {
    const key = { environmentId: movement.environmentId, asset: movement.asset, name }
    const account = this.#current.get(ledgerKeyOf(key))
    assert(account, `account ${ledgerKeyOf(key)} is locked before it is used`)
    return account
  }
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
