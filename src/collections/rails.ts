import { type Environment, type Mode, modes } from '../base/environment.js'
import type { PayoutKind } from '../payouts/payout.js'
import type { BankDirectory, PayoutRail } from '../payouts/ports.js'
import type { PayoutRails } from '../payouts/rails.js'
import type { BankRail, WalletRail } from './ports.js'

/** The name of a chain before one of its nodes has responded. */
export const unidentifiedChain = 'solana:unknown'

/** The banks and the chain of one mode. */
export type ModeRails = {
  /** Opens accounts for merchants that are bound to no other bank, and returns their money. */
  collectBank?: BankRail | undefined
  /** Carries bank transfers of merchants that are bound to no other bank. */
  payoutBank?: (PayoutRail & BankDirectory) | undefined
  /** Every bank, the two above included: an operator can bind a merchant to any of them. */
  banks?: BankRail[]
  chain?: PayoutRail | undefined
  wallets?: WalletRail | undefined
}

/** Every connection to a bank or chain, and which of them serves whom. */
export class Rails implements PayoutRails {
  readonly #byMode: Record<Mode, ModeRails>
  /** Every rail that carries payouts. */
  readonly all: readonly PayoutRail[]
  readonly banksByName: ReadonlyMap<string, BankRail>

  constructor({ test = {}, live = {} }: Partial<Record<Mode, ModeRails>> = {}) {
    this.#byMode = { test, live }
    const carriers = [test, live].flatMap(({ chain, collectBank, payoutBank, banks = [] }) => [
      chain,
      collectBank,
      payoutBank,
      ...banks,
    ])
    this.all = [...new Set(carriers.filter((rail) => rail !== undefined))]
    this.banksByName = new Map(this.banks.map((bank) => [bank.name, bank]))
  }

  modeOf(rail: PayoutRail): Mode {
    const { chain, collectBank, payoutBank, banks = [] } = this.#byMode.test
    return [chain, collectBank, payoutBank, ...banks].includes(rail) ? 'test' : 'live'
  }

  /** What names an unidentified chain would later name nothing. */
  named(name: string): PayoutRail | undefined {
    if (name === unidentifiedChain) return undefined
    return this.all.find((rail) => rail.name === name)
  }

  /** Payments go back through the bank that collects: only it can refund by payment. */
  carrierOf(environment: PayerEnvironment, kind: PayoutKind): PayoutRail | undefined {
    const { chain, collectBank } = this.#byMode[environment.mode]
    if (kind === 'bank_transfer') return this.payoutBankOf(environment)
    return kind === 'bank_return' ? collectBank : chain
  }

  payoutBankOf({ mode, payoutBank }: PayerEnvironment): (PayoutRail & BankDirectory) | undefined {
    return payoutBank ? this.bankOf(mode, payoutBank) : this.#byMode[mode].payoutBank
  }

  /** The bank in which accounts of this merchant are opened. */
  collectBankOf({
    mode,
    collectBank,
  }: Pick<Environment, 'mode' | 'collectBank'>): BankRail | undefined {
    return collectBank ? this.bankOf(mode, collectBank) : this.#byMode[mode].collectBank
  }

  bankOf(mode: Mode, provider: string): BankRail | undefined {
    return this.banksOf(mode).find((bank) => bank.provider === provider)
  }

  banksOf(mode: Mode): BankRail[] {
    const { collectBank, banks = [] } = this.#byMode[mode]
    return collectBank && !banks.includes(collectBank) ? [collectBank, ...banks] : banks
  }

  get banks(): BankRail[] {
    return modes.flatMap((mode) => this.banksOf(mode))
  }

  /** Rails on which payments are returned. */
  get returning(): PayoutRail[] {
    const chains = modes.flatMap((mode) => this.#byMode[mode].chain ?? [])
    return [...chains, ...this.banks]
  }

  walletsOf(mode: Mode): WalletRail | undefined {
    return this.#byMode[mode].wallets
  }
}

type PayerEnvironment = Pick<Environment, 'mode' | 'payoutBank'>
