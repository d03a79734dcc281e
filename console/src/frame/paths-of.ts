import type { SearchHit } from '../../../sdk/src/types'
import type { IconName } from '../parts/icons'
import { formatWhen } from '../parts/time-format'
import type { Stateful } from '../texts/status'

const byKind: Record<SearchHit['kind'], { icon: IconName; pathOf: (reference: string) => string }> =
  {
    payment: { icon: 'payIn', pathOf: (reference) => `/payments/${reference}` },
    return: { icon: 'redo', pathOf: (reference) => `/payments?q=${reference}` },
    bank_transfer: { icon: 'payOut', pathOf: (reference) => `/payouts/${reference}` },
    crypto_transfer: { icon: 'payOut', pathOf: (reference) => `/payouts/${reference}` },
    checkout_session: { icon: 'link', pathOf: (reference) => `/collect/links/${reference}` },
    virtual_account: { icon: 'bank', pathOf: (reference) => `/collect/accounts/${reference}` },
    dedicated_account: { icon: 'bank', pathOf: (reference) => `/collect/dedicated/${reference}` },
    crypto_wallet: { icon: 'coin', pathOf: (reference) => `/collect/wallets/${reference}` },
    dedicated_crypto_wallet: {
      icon: 'coin',
      pathOf: (reference) => `/collect/dedicated-wallets/${reference}`,
    },
    event: { icon: 'pulse', pathOf: (reference) => `/events/${reference}` },
    webhook_endpoint: { icon: 'hook', pathOf: (reference) => `/webhooks/${reference}` },
    request: { icon: 'list', pathOf: (reference) => `/requests/${reference}` },
  }

/** The screen of a search hit, as a path of the console. */
export const pathOfHit = ({ kind, reference }: SearchHit) => byKind[kind].pathOf(reference)

export const iconOfHit = ({ kind }: SearchHit): IconName => byKind[kind].icon

const isoTime = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** What a search hit says below its title, with times as people read them. */
export const subtitleOf = ({ subtitle }: SearchHit) =>
  subtitle.replace(isoTime, (iso) => formatWhen(iso))

/** Which words its state has. */
export const statefulOf = ({ kind }: SearchHit): Stateful | undefined =>
  /session$|account$|wallet$/.test(kind) ? 'collection' : undefined

const prefixes: [RegExp, SearchHit['kind']][] = [
  [/^pay_\w+$/, 'payment'],
  [/^bt_\w+$/, 'bank_transfer'],
  [/^ct_\w+$/, 'crypto_transfer'],
  [/^cs_\w+$/, 'checkout_session'],
  [/^va_\w+$/, 'virtual_account'],
  [/^da_\w+$/, 'dedicated_account'],
  [/^cw_\w+$/, 'crypto_wallet'],
  [/^dw_\w+$/, 'dedicated_crypto_wallet'],
  [/^evt_\w+$/, 'event'],
  [/^we_\w+$/, 'webhook_endpoint'],
  [/^req_\w+$/, 'request'],
]

/** The screen of a reference of ours, by its prefix; undefined if it is not one. */
export function pathOfReference(text: string): string | undefined {
  if (/^bat_\w+$/.test(text)) return `/payouts/batches/${text}`
  if (/^rcp_\w+$/.test(text)) return `/payouts/recipients/${text}`
  if (/^case_\w+$/.test(text)) return `/cases/${text}`
  if (/^frz_\w+$/.test(text)) return '/payouts/freezes'
  if (/^clm_\w+$/.test(text)) return `/payouts/claims/${text}`
  if (/^cus_\w+$/.test(text)) return `/customers/${text}`
  if (/^ivc_\w+$/.test(text)) return `/invoices/${text}`
  if (/^ivs_\w+$/.test(text)) return `/invoices/schedules/${text}`
  if (/^mail_\w+$/.test(text)) return `/mails/${text}`
  if (/^cv_\w+$/.test(text)) return `/balances/conversions/${text}`
  if (/^set_\w+$/.test(text)) return `/settlements/${text}`
  if (/^sub_\w+$/.test(text)) return `/subaccounts/${text}`
  if (/^spl_\w+$/.test(text)) return `/subaccounts/rules/${text}`
  const kind = prefixes.find(([pattern]) => pattern.test(text))?.[1]
  return kind && byKind[kind].pathOf(text)
}
