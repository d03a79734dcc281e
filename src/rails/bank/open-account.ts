import type { Clock } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { type Detail, type Outcome, Refusal } from '../../base/refusal.js'
import {
  type AccountOpening,
  type CustomerField,
  findMissingFields,
  type OpenedAccount,
} from '../../collections/ports.js'
import { formatWithKobo } from '../../money/amounts.js'
import type { Database } from '../../postgres/database.js'
import type { BankDriver, DriverAccount, StoredAccount } from './driver.js'
import { Unknown } from './provider-client.js'
import { findOpenedAccounts, storeOpenedAccount } from './store-opened-accounts.js'

type OpeningDependencies = {
  driver: BankDriver
  name: string
  db: Database
  clock: Clock
  logger: Logger
}

/** Opens one account per reference: a repeated request returns the stored one. */
export async function openAccount(
  { driver, name, db, clock, logger }: OpeningDependencies,
  opening: AccountOpening,
): Promise<Outcome<OpenedAccount>> {
  const { reference } = opening
  const refusal = refuseOpening(driver, opening)
  if (refusal) return refusal
  const known = (await findOpenedAccounts(db, name, [reference])).get(reference)
  if (known) return toOpened(known)
  try {
    const opened = await driver.openAccount(opening)
    if ('refused' in opened) return refuse(opening, 'account_refused', opened.refused)
    const now = clock.now()
    const stored = await storeOpenedAccount(db, now, {
      rail: name,
      account: { ...opened, reference, expiresAt: believableExpiry(opened, now) },
    })
    return toOpened(stored)
  } catch (error) {
    if (!(error instanceof Unknown)) throw error
    logger.warn({ err: error, reference }, 'bank did not open an account')
    return refuse(opening, 'rail_unavailable', 'The bank does not answer. Retry later.')
  }
}

/** A new account has not expired: a time in the past is of another zone or format. */
function believableExpiry({ expiresAt }: DriverAccount, now: Date): Date | null {
  return expiresAt !== null && expiresAt > now ? expiresAt : null
}

function toOpened(account: StoredAccount): OpenedAccount {
  const { reference, number, accountName, bankCode, bankName, expiresAt } = account
  return { railAccount: reference, number, accountName, bankCode, bankName, expiresAt }
}

function refuseOpening({ limits }: BankDriver, opening: AccountOpening): Refusal | undefined {
  const { expected } = opening
  if (!expected) return refuseCustomer(limits.customerNeeds, opening)
  if (expected.lifetimeMs > limits.expiryMaxMs)
    return invalid({
      field: 'expiresAt',
      issue: `must be at most ${describeMs(limits.expiryMaxMs)} ahead at this bank`,
    })
  if (expected.amount < limits.collectMin)
    return invalid({
      field: 'amount',
      issue: `must be at least ${formatWithKobo(limits.collectMin)} at this bank`,
    })
  return undefined
}

function refuseCustomer(
  needs: readonly CustomerField[],
  { customer }: AccountOpening,
): Refusal | undefined {
  const missing = findMissingFields(needs, customer)
  if (missing.length === 0) return undefined
  return invalid(
    ...missing.map((need) => {
      const field = need === 'bvn_or_nin' ? 'bvn' : need
      const other = need === 'bvn_or_nin' ? ', or customer.nin' : ''
      return {
        field: `customer.${field}`,
        issue: `is required by the bank${other}; send it, or set dedicatedAccounts.defaultCustomer.${field} in your settings`,
      }
    }),
  )
}

function invalid(...details: Detail[]): Refusal {
  const issues = details.map(({ field, issue }) => `${field} ${issue}`)
  return new Refusal('validation_failed', { message: `${issues.join('; ')}.`, details })
}

function refuse(
  { expected }: AccountOpening,
  reason: 'account_refused' | 'rail_unavailable',
  message: string,
): Refusal {
  const code = expected ? 'virtual_account_creation_failed' : 'dedicated_account_creation_failed'
  return new Refusal(code, { reason, message })
}

function describeMs(durationMs: number): string {
  const minutes = Math.round(durationMs / 60_000)
  if (minutes === 60) return '1 hour'
  return minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`
}
