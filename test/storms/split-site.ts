import { systemClock } from '../../src/base/clock.js'
import type { Database } from '../../src/postgres/database.js'
import {
  magicAccounts,
  sandboxBankItself,
} from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import type { Random } from '../support/seed.js'
import { type FundedMerchant, openFundedMerchant } from './funded-merchant.js'
import type { JournalCallers } from './journal-callers.js'

const bankCode = '058'
export const fundedAmount = 10n ** 13n
const hourMs = 60 * 60_000
export const dayMs = 24 * hourMs
/** Released only after the storm. */
export const farDays = 300

/** Transfers to the first two are given back, to the third they are sent twice. */
export const failingSerial = magicAccounts[1]!.serial
export const reversingSerial = magicAccounts[2]!.serial
const losingSerial = magicAccounts[6]!.serial

/**
 * Nothing fails or is reversed at steady sellers, so what they have and owe follows from what was
 * acknowledged alone. At shaky ones transfers and refunds come back at any moment: what they have
 * less what they owe follows.
 */
export type SellerGroup = 'steady' | 'shaky'

export type Seller = { reference: string; group: SellerGroup }

export type Line = {
  subaccount: string
  flat?: number
  percent?: string
  remainder?: true
  min?: number
  max?: number
  releaseAt?: string
  releaseAfterDays?: number
}
export type SplitTerms = { feeBearer?: string; lines: Line[] }

export type SplitSite = FundedMerchant & {
  db: Database
  sellers: Seller[]
  /** Steady sellers that spend what they get at once, so that refunds find nothing. */
  spenders: string[]
  /** Saved rules, and dedicated accounts with earlier versions of them. */
  rules: { reference: string; group: SellerGroup }[]
  accounts: { accountNumber: string; group: SellerGroup }[]
  /** By how much the clock of the merchant is known to be ahead. */
  aheadMs: number
  startedAt: Date
}

/** A merchant with money. Its sellers come when processes answer. */
export async function openSplitSite(db: Database): Promise<SplitSite> {
  const merchant = await openFundedMerchant(db, fundedAmount)
  return {
    ...merchant,
    db,
    sellers: [],
    spenders: [],
    rules: [],
    accounts: [],
    aheadMs: 0,
    startedAt: systemClock.now(),
  }
}

export type SplitScene = { site: SplitSite; callers: JournalCallers; random: Random }

/** Sellers, half of them settled every day, rules, and accounts that take any amount. */
export async function openMarket(scene: SplitScene): Promise<void> {
  const { site, callers, random } = scene
  const groups: SellerGroup[] = [...Array(8).fill('steady'), ...Array(4).fill('shaky')]
  for (const [index, group] of groups.entries()) {
    const schedule = index % 2 === 0 ? 'daily' : 'off'
    const body = {
      name: `Seller ${index}`,
      bankAccount: { bankCode, accountNumber: pickAccount(random, group) },
      settlement: { schedule, reserve: 100_000, minimum: 500_000 },
    }
    const created = await callers.send('seller', 'key', '/v1/subaccounts', body)
    site.sellers.push({ reference: String(created!.answer.kept.reference), group })
  }
  for (let index = 0; index < 3; index += 1) {
    const body = { name: `Spender ${index}` }
    const created = await callers.send('seller', 'key', '/v1/subaccounts', body)
    site.spenders.push(String(created!.answer.kept.reference))
  }
  for (let index = 0; index < 10; index += 1) {
    const group = index % 3 === 0 ? 'shaky' : 'steady'
    const reference = await createRule(scene, newTerms(scene, group))
    const opening = {
      externalReference: `customer ${index}`,
      customer: { name: 'Ada Obi', email: 'ada@example.com', phone: '+2348012345678' },
      splits: { rule: reference },
    }
    const path = '/v1/collections/dedicated-accounts'
    const opened = await callers.send('dedicated account', 'key', path, opening)
    site.accounts.push({ accountNumber: String(opened!.answer.kept.accountNumber), group })
    // The account keeps the version that it was opened with.
    await changeRule(scene, reference, newTerms(scene, group))
    site.rules.push({ reference, group })
  }
}

/** Returns its reference. */
export async function createRule({ callers }: SplitScene, terms: SplitTerms): Promise<string> {
  const body = { name: 'Rule', asset: 'NGN', ...terms }
  const created = await callers.send('split rule', 'key', '/v1/split-rules', body)
  return String(created!.answer.kept.reference)
}

/** Sales that are opened later have other lines. */
export async function changeRule(
  { callers }: SplitScene,
  reference: string,
  terms: SplitTerms,
): Promise<void> {
  await callers.send('rule version', 'key', `/v1/split-rules/${reference}/versions`, terms)
}

export function sellersOf({ sellers }: SplitSite, group: SellerGroup): Seller[] {
  return sellers.filter((seller) => seller.group === group)
}

/** One to five lines of all kinds, with every bearer of the fee. */
export function newTerms({ site, random }: SplitScene, group: SellerGroup): SplitTerms {
  const sellers = sellersOf(site, group)
  const count = random.integer(1, 5)
  const lines = Array.from({ length: count }, (_, index): Line => {
    const subaccount = random.pick(sellers).reference
    const line = { subaccount, ...newRelease(site, random) }
    const isLast = index === count - 1
    const roll = random.integer(1, 5)
    if (isLast && roll === 1) return { ...line, remainder: true }
    if (roll === 2) return { ...line, flat: random.integer(1, 90_000) }
    const percent = `${random.integer(0, 15)}.${random.integer(1, 99).toString().padStart(2, '0')}`
    if (roll === 3) return { ...line, percent, min: random.integer(1, 20_000) }
    if (roll === 4) return { ...line, percent, max: random.integer(1, 20_000) }
    return { ...line, percent }
  })
  const named = random.pick(lines).subaccount
  return { feeBearer: random.pick(['merchant', 'subaccounts', 'all', named]), lines }
}

/** At once, within the storm, or after it. */
function newRelease({ startedAt }: SplitSite, { integer }: Random): Partial<Line> {
  const at = (days: number) => new Date(startedAt.getTime() + days * dayMs).toISOString()
  switch (integer(1, 8)) {
    case 1:
    case 2:
      return { releaseAfterDays: 1 }
    case 3:
      return { releaseAfterDays: farDays }
    case 4:
      return { releaseAt: at(farDays) }
    default:
      return {}
  }
}

/** Whether the share of a line is still pending when the storm ends. */
export function isPendingAtEnd({ releaseAt, releaseAfterDays }: Line): boolean {
  return releaseAt !== undefined || releaseAfterDays === farDays
}

/** The bank sends transfers to some accounts of steady sellers twice, and fails others. */
export function pickAccount({ integer }: Random, group: SellerGroup): string {
  const roll = integer(1, 6)
  const ordinary = String(integer(100_000_000, 899_999_999))
  if (roll === 1) return toNuban({ bankCode, serial: losingSerial })
  if (group === 'steady') return toNuban({ bankCode, serial: ordinary })
  const serial = roll === 2 ? failingSerial : roll === 3 ? reversingSerial : ordinary
  return toNuban({ bankCode, serial })
}

/** Where a refund goes back to. Undefined: to an account that takes it. */
export function pickSender({ integer }: Random, group: SellerGroup) {
  const roll = integer(1, 4)
  if (group === 'steady' || roll > 2) return undefined
  const { number: accountNumber } = magicAccounts[roll === 1 ? 1 : 2]!
  return { accountNumber, bankCode: sandboxBankItself.code }
}

/** Whether the bank sends back what is sent to the account. */
export function comesBack(accountNumber: string): boolean {
  return [failingSerial, reversingSerial].some((serial) => accountNumber.startsWith(serial))
}
