import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Bank } from '../../payouts/ports.js'
import { Unknown } from './provider-client.js'

const fillers = new Set(['BANK', 'PLC', 'NIGERIA', 'OF', 'LIMITED', 'LTD', 'MICROFINANCE', 'MFB'])

/** Short names of banks, and their words in lists. */
const shortNames = new Map([
  ['GTBANK', 'GUARANTY TRUST'],
  ['FCMB', 'FIRST CITY MONUMENT'],
  ['UBA', 'UNITED FOR AFRICA'],
])

/**
 * The codes of banks that a provider names without one, from the provider's own list of banks. A
 * bank that is not listed, or two of them with the same name, have none: that is no error.
 */
export class BankNames {
  readonly #listBanks: () => Promise<Bank[]>
  readonly #clock: Clock
  #codes: ReadonlyMap<string, string> = new Map()
  #refreshAtMs = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined

  constructor(listBanks: () => Promise<Bank[]>, clock: Clock) {
    this.#listBanks = listBanks
    this.#clock = clock
  }

  /** Call it before `codeOf`. Never fails: an account that was opened must not be lost. */
  async refresh(): Promise<void> {
    if (this.#clock.elapsedMs() < this.#refreshAtMs) return
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined
    })
    await this.#refreshing
  }

  /** Empty if the bank is not listed. Names are in capitals, or have more or fewer words. */
  codeOf(name: string): string {
    return this.#codes.get(spellingOf(name)) || this.#codes.get(keyOf(name)) || ''
  }

  async #fetch(): Promise<void> {
    const { directoryCacheMs, directoryRetryMs } = limits.banks
    try {
      this.#codes = codesOf(await this.#listBanks())
      this.#refreshAtMs = this.#clock.elapsedMs() + directoryCacheMs
    } catch (error) {
      if (!(error instanceof Unknown)) throw error
      this.#refreshAtMs = this.#clock.elapsedMs() + directoryRetryMs
    }
  }
}

/** By spelling and by distinctive words; empty if several banks have the same. */
function codesOf(banks: Bank[]): Map<string, string> {
  const codes = new Map<string, string>()
  for (const { name, code } of banks.slice(0, limits.banks.directoryBanksMax))
    for (const key of new Set([spellingOf(name), keyOf(name)]))
      codes.set(key, (codes.get(key) ?? code) === code ? code : '')
  return codes
}

function spellingOf(name: string): string {
  return wordsOf(name).join(' ')
}

function keyOf(name: string): string {
  const key = wordsOf(name)
    .filter((word) => !fillers.has(word))
    .join(' ')
  return `key/${shortNames.get(key) ?? key}`
}

function wordsOf(name: string): string[] {
  return name.toUpperCase().match(/[A-Z0-9]+/g) ?? []
}
