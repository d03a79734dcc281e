import type { EnvironmentId, Mode } from '../base/environment.js'
import { firstIdAt } from '../base/ids.js'

/** A rate of VAT on our fees: it holds from this time on, until that of the next one. */
export type VatRate = { holdsFrom: Date; basisPoints: number }

const whole = 10_000n

/** The VAT that a fee contains: fee × rate ÷ (1 + rate), rounded half up to the smallest unit. */
export function computeVat(fee: bigint, basisPoints: number): bigint {
  if (fee < 0n) return -computeVat(-fee, basisPoints)
  const rate = BigInt(basisPoints)
  return (2n * fee * rate + whole + rate) / (2n * (whole + rate))
}

/** A fee, with the id of the payment, payout or conversion that was charged. */
export type ChargedFee = { environmentId: EnvironmentId; causeId: string; fee: bigint }

type KnownRate = { firstId: string; basisPoints: number }

/**
 * The rates as this process knows them, so that answers and events show VAT without a query.
 *
 * A process reads the rates again every few seconds, and a new rate begins minutes after it was
 * set: so every process knows a rate before the first fee to which it applies. The time of a fee is
 * that in the id of what was charged. A fee that is charged later for the same payment, given back
 * or reversed has the same rate.
 */
export class VatRates {
  #newestFirst: Record<Mode, KnownRate[]> = { test: [], live: [] }
  readonly #modes = new Map<EnvironmentId, Mode>()
  #isUsed = false

  replace(rates: (VatRate & { mode: Mode })[]): void {
    const sorted = rates.toSorted((a, b) => Number(b.holdsFrom) - Number(a.holdsFrom))
    const known = (wanted: Mode) =>
      sorted
        .filter(({ mode }) => mode === wanted)
        .map(({ holdsFrom, basisPoints }) => ({ firstId: firstIdAt(holdsFrom), basisPoints }))
    this.#newestFirst = { test: known('test'), live: known('live') }
    this.#isUsed = rates.length > 0
  }

  noteEnvironment({ id, mode }: { id: EnvironmentId; mode: Mode }): void {
    this.#modes.set(id, mode)
  }

  vatOf({ environmentId, causeId, fee }: ChargedFee): bigint {
    if (!this.#isUsed || fee === 0n) return 0n
    // An environment that another process made seconds ago may not be known yet. Live ones are not
    // used that early: they wait for KYC. For a test one, the rate of live mode is close enough.
    const mode = this.#modes.get(environmentId) ?? 'live'
    const rate = this.#newestFirst[mode].find(({ firstId }) => causeId >= firstId)
    return rate ? computeVat(fee, rate.basisPoints) : 0n
  }
}

/** The rates of this process. */
export const vatRates = new VatRates()
