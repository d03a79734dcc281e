import type { Settings, WebhookEndpoint } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { type Amount, type Asset, formatMoney } from '../../parts/money-format'
import { payoutTexts } from '../payouts/texts'
import { settingTexts } from './texts'

const words = settingTexts.controls
const limitWords = payoutTexts.rule
export const assets: Asset[] = ['NGN', 'USDC', 'USDT']

export type Approvals = Settings['approvals']
export type Limits = { each: Amount; perDay: Amount | null } | null
export type Controls = NonNullable<Approvals['controls']>
export type VelocityLimit = NonNullable<Controls['velocity']>[number]
type ControlName = keyof Controls

export const noControls: Controls = {
  callback: null,
  recipients: null,
  velocity: null,
  duplicates: null,
}
const controlNames = Object.keys(noControls) as ControlName[]

/** A rule without any control has null. */
export function withoutEmpty(rule: Approvals): Approvals {
  const { controls } = rule
  const isSet = controls && controlNames.some((name) => controls[name] !== null)
  return { ...rule, controls: isSet ? controls : null }
}

/** A limit of nothing would look like a control, and stop no payout. */
export const isEmptyLimit = ({ amount, count }: VelocityLimit): boolean =>
  amount === null && count === null

/** The URLs of webhook endpoints by their references, for those who may see them. */
export function useEndpoints(): Record<string, string> {
  const isEnabled = useMay('developers.see')
  const path = '/v1/webhook-endpoints'
  const { data } = useRead<Page<WebhookEndpoint>>('endpoints', path, {}, { isEnabled })
  return Object.fromEntries((data?.items ?? []).map(({ id, url }) => [id, url]))
}

type RulePart = { name: string; before: string; after: string }

/** What a change of the rule would change, part by part. */
export function compareRules(
  before: Approvals,
  after: Approvals,
  endpoints: Record<string, string>,
): RulePart[] {
  const limits = assets.map((asset) => ({
    name: limitWords.assets[asset],
    before: describeLimits(asset, before[asset]),
    after: describeLimits(asset, after[asset]),
  }))
  const appliesTo = {
    name: limitWords.appliesTo,
    before: limitWords[before.appliesTo],
    after: limitWords[after.appliesTo],
  }
  const controls = controlNames.map((name) => ({
    name: words.names[name],
    before: describeControl(name, before.controls ?? noControls, endpoints),
    after: describeControl(name, after.controls ?? noControls, endpoints),
  }))
  return [...limits, appliesTo, ...controls].filter((part) => part.before !== part.after)
}

function describeLimits(asset: Asset, limits: Limits): string {
  if (limits === null) return limitWords.none
  const perDay = limits.perDay === null ? limitWords.none : formatMoney(limits.perDay, asset)
  return `${formatMoney(limits.each, asset)}, 24 h: ${perDay}`
}

function describeControl(
  name: ControlName,
  { callback, recipients, velocity, duplicates }: Controls,
  endpoints: Record<string, string>,
): string {
  switch (name) {
    case 'callback': {
      if (!callback) return words.off
      const { url, signedBy, retryMinutes } = callback
      return words.describe.callback(url, endpoints[signedBy] ?? signedBy, retryMinutes)
    }
    case 'velocity':
      return velocity?.map(describeLimit).join('; ') ?? words.off
    case 'duplicates':
      if (!duplicates) return words.off
      return words.describe.duplicates(duplicates.minutes, words.requires[duplicates.requires])
    case 'recipients':
      return recipients ? describeRecipients(recipients) : words.off
  }
}

function describeLimit({ per, window, currency, amount, count, above }: VelocityLimit): string {
  const most = [
    ...(amount === null ? [] : [formatMoney(amount, currency)]),
    ...(count === null ? [] : [words.describe.count(count, currency)]),
  ].join(words.describe.and)
  return words.describe.limit(most, words.per[per], words.windows[window], words.aboveShort[above])
}

function describeRecipients({
  onlySaved,
  approveFirst,
  coolingOff,
}: NonNullable<Controls['recipients']>): string {
  const parts = [
    onlySaved && words.onlySaved,
    approveFirst && words.approveFirst,
    coolingOff &&
      words.describe.coolingOff(
        coolingOff.hours,
        assets.map((asset) => {
          const above = coolingOff.above[asset]
          return above === null ? words.describe.anyAmount(asset) : formatMoney(above, asset)
        }),
      ),
  ].filter(Boolean)
  return parts.join('; ') || words.describe.noRule
}
