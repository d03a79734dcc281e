import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Bank } from '../../payouts/ports.js'
import { asFields, type Fields, readText } from '../bank/read-fields.js'
import type { PaystackCalls } from './calls.js'

const pagesMax = 20

/** Codes are text: some contain letters. Longer ones cannot be named in our API. */
const codePattern = /^[0-9A-Za-z]{3,9}$/

/** The banks of Nigeria at Paystack, which names banks by id, slug and code. */
export class PaystackBanks {
  readonly #calls: PaystackCalls
  readonly #clock: Clock
  #codes = new Map<string, string>()
  #fetchedAtMs = Number.NEGATIVE_INFINITY

  constructor(calls: PaystackCalls, clock: Clock) {
    this.#calls = calls
    this.#clock = clock
  }

  /** Banks that take transfers. */
  async list(): Promise<Bank[]> {
    const rows = await this.#fetchRows()
    return rows.flatMap(({ code: given, name: givenName, active, is_deleted }) => {
      const code = readText(given)
      const name = readText(givenName)
      const isUsable = active !== false && is_deleted !== true
      return code && name && isUsable && codePattern.test(code) ? [{ code, name }] : []
    })
  }

  /** The code of a bank in an answer, which has only its id and slug; '' if it is not listed. */
  async codeOf(bank: Fields): Promise<string> {
    const ageMs = this.#clock.elapsedMs() - this.#fetchedAtMs
    if (ageMs > limits.banks.directoryCacheMs) await this.#fetchRows()
    const { id, slug } = bank
    return this.#codes.get(`id/${id}`) ?? this.#codes.get(`slug/${slug}`) ?? ''
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
    this.#fetchedAtMs = this.#clock.elapsedMs()
    return rows
  }
}

function namesOf(row: Fields): [string, string][] {
  const { id, slug, code } = asFields(row)
  const text = readText(code)
  if (text === undefined) return []
  return [
    [`id/${id}`, text],
    [`slug/${slug}`, text],
  ]
}
