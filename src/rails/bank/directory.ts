import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import type { Bank } from '../../payouts/ports.js'
import type { BankAccountNumber, BankDriver } from './driver.js'
import { Unknown } from './provider-client.js'

/** The provider's banks and account names. The list of banks is cached, and kept in an outage. */
export class Directory {
  readonly #driver: BankDriver
  readonly #clock: Clock
  readonly #logger: Logger
  #banks: ReadonlyMap<string, Bank> = new Map()
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | undefined

  constructor({ driver, clock, logger }: { driver: BankDriver; clock: Clock; logger: Logger }) {
    this.#driver = driver
    this.#clock = clock
    this.#logger = logger
  }

  /** Sorted by name. Throws a refusal if the provider has never answered. */
  async listBanks(): Promise<readonly Bank[]> {
    return [...(await this.#current()).values()]
  }

  async resolveName(
    account: BankAccountNumber,
  ): Promise<Outcome<{ bankName: string; accountName: string }>> {
    try {
      const bank = (await this.#current()).get(account.bankCode)
      if (!bank)
        return refuse(
          'unknown_bank',
          `Unknown bank code ${account.bankCode}. GET /v1/banks lists the known ones.`,
        )
      const resolved = await this.#driver.resolveName(account)
      if (resolved) return { bankName: bank.name, accountName: resolved.accountName }
      return refuse(
        'account_not_found',
        `${bank.name} has no account ${account.accountNumber}. Check the number with the recipient.`,
      )
    } catch (error) {
      if (error instanceof Refusal) return error
      if (error instanceof Unknown) return unavailable()
      throw error
    }
  }

  async #current(): Promise<ReadonlyMap<string, Bank>> {
    const ageMs = this.#clock.elapsedMs() - this.#fetchedAtMs
    if (ageMs > limits.banks.directoryCacheMs) await this.#refresh()
    return this.#banks
  }

  #refresh(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return this.#fetching
  }

  async #fetch(): Promise<void> {
    try {
      const banks = await this.#driver.listBanks()
      if (banks.length === 0) throw new Unknown('the provider lists no banks')
      const sorted = banks
        .slice(0, limits.banks.directoryBanksMax)
        .sort((left, right) => left.name.localeCompare(right.name, 'en'))
      this.#banks = new Map(sorted.map((bank) => [bank.code, bank]))
      this.#fetchedAtMs = this.#clock.elapsedMs()
    } catch (error) {
      if (!(error instanceof Unknown)) throw error
      if (this.#banks.size === 0) throw unavailable()
      this.#logger.warn({ err: error }, 'could not refresh the list of banks')
    }
  }
}

type DirectoryReason = 'unknown_bank' | 'account_not_found' | 'rail_unavailable'

function refuse(reason: DirectoryReason, message: string): Refusal {
  return new Refusal('bank_transfer_failed', { reason, message })
}

export function unavailable(): Refusal {
  return refuse('rail_unavailable', 'The bank does not answer. Nothing was changed; retry later.')
}
