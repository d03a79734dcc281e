import type { Bank } from '../../../../sdk/src/types'
import type { FreezableRail, PayoutFreeze } from '../../api/answers'
import { type Page, useRead } from '../../api/reads'
import { formatAccountNumber, formatWallet } from '../../parts/identifiers'
import { frozenTexts as words } from './frozen-texts'

export type FreezeKind = PayoutFreeze['kind']

export const path = '/v1/freezes'

export type Freezes = { items: PayoutFreeze[]; rails: FreezableRail[] }

/** What a write of freezes changes, for other screens. */
export const changes = { topics: ['payouts'] as const, reads: ['freezes'] }

export const useFreezes = (status: 'FROZEN' | 'THAWED') =>
  useRead<Freezes>('freezes', path, { status })

/** Says what a freeze is of: `All payouts`, `Payouts to GTBank 012 345 6789`. */
export function useFrozenWords(freezes: PayoutFreeze[]): (freeze: PayoutFreeze) => string {
  const hasAccount = freezes.some(({ kind, subject }) => kind === 'recipient' && isAccount(subject))
  const banks = useRead<Page<Bank>>('banks', '/v1/banks', undefined, { isEnabled: hasAccount })
  return ({ kind, subject, label }) => {
    if (kind === 'recipient') return words.what.recipient(placeOf(subject ?? '', banks.data?.items))
    return words.what[kind](kind === 'rail' ? railName(subject ?? '') : (label ?? ''))
  }
}

/** Bank accounts are `058/0123456789`, as the API names them. */
const isAccount = (subject: string | null) => subject?.includes('/') ?? false

function placeOf(subject: string, banks: Bank[] = []): string {
  if (!isAccount(subject)) return formatWallet(subject)
  const [code = '', number = ''] = subject.split('/')
  const bank = banks.find((one) => one.code === code)
  return `${bank?.name ?? code} ${formatAccountNumber(number)}`
}

const railName = (name: string) => (name.startsWith('solana') ? words.chain : name)

type Place =
  | { bankCode: string | null; accountNumber: string | null }
  | { address: string | null }
  | { destinationAddress: string }

/** How the API names a recipient. */
export function subjectOf(place: Place): string {
  if ('destinationAddress' in place) return place.destinationAddress
  if ('address' in place && place.address) return place.address
  const { bankCode, accountNumber } = place as { bankCode: string; accountNumber: string }
  return `${bankCode}/${accountNumber}`
}

/** What this user can do about a freeze; as the server decides it. */
export type ThawStep = 'operator' | 'self' | 'asked' | 'ask' | 'agree' | 'thaw'

export function thawStepOf(freeze: PayoutFreeze, userId: string): ThawStep {
  const { isOfOperator, kind, subject, frozenBy, thawAskedBy } = freeze
  if (isOfOperator) return 'operator'
  if (kind === 'member' && subject === userId) return 'self'
  if (thawAskedBy?.id === userId) return 'asked'
  if (thawAskedBy === null) return 'ask'
  return frozenBy.id === userId ? 'agree' : 'thaw'
}
