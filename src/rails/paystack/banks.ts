import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Bank } from '../../payouts/ports.js'
import { Unknown } from '../bank/provider-client.js'
import { type Fields, readBanks, readName, readText } from '../bank/read-fields.js'
import type { PaystackCalls } from './calls.js'

const pagesMax = 20

/** The banks of Nigeria at Paystack, which names banks by id, slug and code. */
export class PaystackBanks {
  readonly #calls: PaystackCalls
  readonly #clock: Clock
  #codes = new Map<string, string>()
  #refreshAtMs = Number.NEGATIVE_INFINITY

  constructor(calls: PaystackCalls, clock: Clock) {
    this.#calls = calls
    this.#clock = clock
  }

  /** Banks that take transfers. */
  async list(): Promise<Bank[]> {
    const rows = await this.#fetchRows()
    return readBanks(
      rows.filter(({ active, is_deleted }) => active !== false && is_deleted !== true),
    )
  }

  /**
   * The code of a bank in an answer, which has only its id and slug; '' if it is not listed. Never
   * fails: an account that was opened must not be lost.
   */
  async codeOf({ id, slug }: Fields): Promise<string> {
    await this.#refresh()
    const byId = this.#codes.get(`id/${readText(id)}`)
    return byId ?? this.#codes.get(`slug/${readText(slug)}`) ?? ''
  }

  async #refresh(): Promise<void> {
    if (this.#clock.elapsedMs() < this.#refreshAtMs) return
    try {
      await this.#fetchRows()
    } catch (error) {
      if (!(error instanceof Unknown)) throw error
      this.#refreshAtMs = this.#clock.elapsedMs() + limits.banks.directoryRetryMs
    }
  }

  async #fetchRows(): Promise<Fields[]> {
    const rows: Fields[] = []
    let after: string | undefined
    for (let page = 0; page < pagesMax; page += 1) {
      const query = { country: 'nigeria', currency: 'NGN' }
      const { rows: some, next } = await this.#calls.list({
        path: '/bank',
        query,
        after,
        isEarly: true,
      })
      rows.push(...some)
      if (next === null) break
      after = next
    }
    this.#codes = new Map(rows.flatMap(namesOf))
    this.#refreshAtMs = this.#clock.elapsedMs() + limits.banks.directoryCacheMs
    return rows
  }
}

function namesOf(row: Fields): [string, string][] {
  const { id, slug, code } = row
  const text = readName(code)
  if (text === undefined) return []
  return [
    [`id/${readText(id)}`, text],
    [`slug/${readText(slug)}`, text],
  ]
}
