import { type Key, keyFrom } from './keys.js'
import { readMemoTexts } from './memo.js'
import type { VmTransactionError } from './vm-errors.js'
import type { Wire } from './wire.js'

/** Which transactions a rule is about. All that is given must hold; `any` alone means every one. */
export type Match = { memo?: string; account?: string; signature?: string; any?: boolean }

/**
 * What goes wrong. While a transaction is sent: it is dropped, delayed, fails with its fee taken,
 * lands while the reply is lost, or is refused with HTTP 429 (which, for any, hits every call).
 * While a node is asked: it is some slots behind, or it pretends not to know a transaction. One
 * that is spared meets none of this: a rule for a transaction that would else meet a lasting one.
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
  /** For how long a delay holds a transaction, and how far behind a lag is. */
  slots?: number
  /** How often the rule applies before it is used up; without it, always. */
  times?: number
  /** What a failing transaction fails with. */
  error?: VmTransactionError
}

/** The part of a transaction that rules look at. */
export type Suspect = { signature: Key; keys: Key[]; transaction: Wire }

/** A rule with its addresses as keys, so that a look at a transaction costs no base58. */
type Ready = FaultRule & { accountKey: Key | undefined; signatureKey: Key | undefined }

/**
 * The faults of one node: those of the chain's start, for ever, and those set since. What is set
 * for one transaction, by its memo or signature, goes before what it would meet for ever.
 */
export class Faults {
  private set: Ready[] = []
  private lasting: Ready[]
  lag = 0

  constructor(lasting: FaultRule[]) {
    this.lasting = lasting.map(prepare)
    this.replace([])
  }

  /** Replaces what was set before. */
  replace(rules: FaultRule[]): void {
    this.set = rules.map(prepare)
    const lags = this.rules(['lag']).map(({ slots = 0 }) => slots)
    this.lag = Math.max(0, ...lags)
  }

  /** The first rule of these faults that is about the transaction; it is used once by this. */
  take(wanted: Fault[], suspect?: Suspect): FaultRule | undefined {
    const rule = this.rules(wanted, suspect).find((one) => matches(one, suspect))
    if (rule?.times !== undefined) rule.times -= 1
    return rule
  }

  has(wanted: Fault): boolean {
    return this.rules([wanted]).length > 0
  }

  private rules(wanted: Fault[], suspect?: Suspect): Ready[] {
    if (this.set.length + this.lasting.length === 0) return []
    const isNamed = this.set.some((rule) => isAboutOne(rule) && matches(rule, suspect))
    const rules = isNamed ? this.set : [...this.set, ...this.lasting]
    return rules.filter((rule) => wanted.includes(rule.fault) && isLeft(rule))
  }
}

function isAboutOne(rule: Ready): boolean {
  const { memo, signature } = rule.match
  return isLeft(rule) && (memo !== undefined || signature !== undefined)
}

function isLeft({ times = 1 }: Ready): boolean {
  return times > 0
}

function prepare(rule: FaultRule): Ready {
  const { account, signature } = rule.match
  return {
    ...rule,
    accountKey: account === undefined ? undefined : keyFrom(account),
    signatureKey: signature === undefined ? undefined : keyFrom(signature),
  }
}

function matches({ match, accountKey, signatureKey }: Ready, suspect?: Suspect): boolean {
  const { memo, any = false } = match
  const isGeneral = memo === undefined && accountKey === undefined && signatureKey === undefined
  if (!suspect || isGeneral) return isGeneral && any
  return (
    (signatureKey === undefined || suspect.signature === signatureKey) &&
    (accountKey === undefined || suspect.keys.includes(accountKey)) &&
    (memo === undefined || readMemoTexts(suspect.transaction).includes(memo))
  )
}
