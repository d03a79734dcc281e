import { type Key, keyFrom } from './chain/keys.js'
import { readMemoTexts } from './chain/memo.js'
import type { VmTransactionError } from './chain/vm-errors.js'
import type { Wire } from './server/wire.js'

/**
 * Which transactions a rule matches: all given fields must match; `any` alone matches every one.
 */
export type Match = { memo?: string; account?: string; signature?: string; any?: boolean }

/**
 * On sending, a transaction is dropped, delayed, fails with its fee charged, lands without a reply
 * (`lose_reply`), or gets HTTP 429 (with `any`, every call does). On reading, a node lags some
 * slots or hides a transaction (`forget`). `spare` exempts a transaction from the permanent rules.
 */
export const faults = [
  'drop',
  'delay',
  'fail',
  'lose_reply',
  'rate_limit',
  'lag',
  'forget',
  'spare',
] as const
export type Fault = (typeof faults)[number]

export type FaultRule = {
  match: Match
  fault: Fault
  /** Length of a delay or lag. */
  slots?: number
  /** How often the rule applies; always by default. */
  times?: number
  /** Error of a failing transaction. */
  error?: VmTransactionError
}

/** What rules match against. */
export type FaultSubject = { signature: Key; keys: Key[]; transaction: Wire }

/** A rule with decoded addresses, so that matching needs no base58. */
type DecodedRule = FaultRule & { accountKey: Key | undefined; signatureKey: Key | undefined }

/**
 * The faults of one node: permanent rules from the chain's start, and replaceable ones. A
 * replaceable rule for a single transaction, by memo or signature, overrides the permanent ones.
 */
export class Faults {
  private replaceable: DecodedRule[] = []
  private permanent: DecodedRule[]
  lag = 0

  constructor(permanent: FaultRule[]) {
    this.permanent = permanent.map(decode)
    this.replace([])
  }

  replace(rules: FaultRule[]): void {
    this.replaceable = rules.map(decode)
    const lags = this.rules(['lag']).map(({ slots = 0 }) => slots)
    this.lag = Math.max(0, ...lags)
  }

  /** The first rule with one of these faults that matches; counts as one use of it. */
  take(wanted: Fault[], subject?: FaultSubject): FaultRule | undefined {
    const rule = this.rules(wanted, subject).find((candidate) => matches(candidate, subject))
    if (rule?.times !== undefined) rule.times -= 1
    return rule
  }

  has(wanted: Fault): boolean {
    return this.rules([wanted]).length > 0
  }

  private rules(wanted: Fault[], subject?: FaultSubject): DecodedRule[] {
    if (this.replaceable.length + this.permanent.length === 0) return []
    const overrides = this.replaceable.some((rule) => isForOne(rule) && matches(rule, subject))
    const rules = overrides ? this.replaceable : [...this.replaceable, ...this.permanent]
    return rules.filter((rule) => wanted.includes(rule.fault) && hasUsesLeft(rule))
  }
}

function isForOne(rule: DecodedRule): boolean {
  const { memo, signature } = rule.match
  return hasUsesLeft(rule) && (memo !== undefined || signature !== undefined)
}

function hasUsesLeft({ times = 1 }: DecodedRule): boolean {
  return times > 0
}

function decode(rule: FaultRule): DecodedRule {
  const { account, signature } = rule.match
  return {
    ...rule,
    accountKey: account === undefined ? undefined : keyFrom(account),
    signatureKey: signature === undefined ? undefined : keyFrom(signature),
  }
}

function matches(
  { match, accountKey, signatureKey }: DecodedRule,
  subject?: FaultSubject,
): boolean {
  const { memo, any = false } = match
  const isGeneral = memo === undefined && accountKey === undefined && signatureKey === undefined
  if (!subject || isGeneral) return isGeneral && any
  return (
    (signatureKey === undefined || subject.signature === signatureKey) &&
    (accountKey === undefined || subject.keys.includes(accountKey)) &&
    (memo === undefined || readMemoTexts(subject.transaction).includes(memo))
  )
}
