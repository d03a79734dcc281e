import type { Case } from '../../../../sdk/src/types'
import { caseTexts } from './texts'

export type CaseItem = Case['items'][number]

export const path = '/v1/cases'

/** What a write of cases changes, for other screens. */
export const changes = {
  topics: ['cases'] as const,
  reads: ['case', 'cases of', 'timeline', 'attention'],
}

/** `Fraud · CBN-17`. */
export const kindOf = ({ kind, externalReference }: Case): string =>
  [caseTexts.kinds[kind], externalReference].filter(Boolean).join(' · ')

const pages: Record<CaseItem['kind'], string> = {
  payment: '/payments',
  bank_transfer: '/payouts',
  crypto_transfer: '/payouts',
  recipient: '/payouts/recipients',
  customer: '/customers',
}

/** The page of a payment, payout, recipient or customer. */
export const pathOf = ({ kind, reference }: CaseItem): string => `${pages[kind]}/${reference}`
