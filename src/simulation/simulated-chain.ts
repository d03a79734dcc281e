import { strict as assert } from 'node:assert'
import type { Instructed, PayoutRail, SimulatedRail } from '../payouts/ports.js'
import { overloaded } from '../postgres/transactions/overloaded.js'
import { railUnavailable } from '../rails/solana/payouts/refuse.js'
import { callLocalnet } from './embedded-chain.js'
import { localnetLimits } from './localnet/limits.js'
import type { Fault, FaultRule } from './localnet/start.js'

type Instruction = Parameters<SimulatedRail['instruct']>[0]

const faultsByOutcome: Record<string, Fault> = { land: 'spare', fail: 'fail', expire: 'drop' }

/**
 * Sets the outcome of transfers on the localnet. The localnet takes its rules as a whole list, so
 * the list is kept here and instructions run one at a time. The list is lost when the process ends;
 * its oldest rules are dropped when there are too many.
 */
export class SimulatedChain implements SimulatedRail {
  readonly name: string
  readonly send: PayoutRail['send']
  readonly #url: string
  /** By memo: a rule applies to all attempts of the transfer. */
  readonly #rules = new Map<string, FaultRule>()
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(url: string, rail: PayoutRail) {
    this.name = rail.name
    this.send = rail.send
    this.#url = url
  }

  async instruct(instruction: Instruction): Promise<Instructed> {
    if (this.#waiting >= localnetLimits.settledTransfersMax) throw overloaded()
    this.#waiting += 1
    const result = this.#last.then(() => this.#follow(instruction))
    this.#last = result.catch(() => {}) // the caller gets the error; the next one still runs
    return result.finally(() => {
      this.#waiting -= 1
    })
  }

  /**
   * The API sends a new transfer after its answer, so it may arrive at any moment: one that arrives
   * after the rule meets it, and has ended as instructed.
   */
  async #follow({ reference, outcome, attempt }: Instruction): Promise<Instructed> {
    const fault = faultsByOutcome[outcome]
    assert(fault, 'the outcome is one for crypto transfers')
    const isRepeat = this.#rules.get(reference)?.fault === fault
    if (!attempt) return isRepeat ? 'obeyed' : 'too_late'
    if (await this.#findEnd(attempt.token)) return isRepeat ? 'obeyed' : 'too_late'
    // Also for a repeat: a restarted localnet has lost its rules.
    await this.#setRule(reference, { match: { memo: reference }, fault })
    const end = await this.#findEnd(attempt.token)
    if (end && end !== outcome) {
      this.#rules.delete(reference)
      return 'too_late'
    }
    if (!end) await this.send([attempt])
    return 'obeyed'
  }

  async #setRule(reference: string, rule: FaultRule): Promise<void> {
    const rules = new Map(this.#rules)
    rules.delete(reference)
    const kept = [...rules].slice(-(localnetLimits.settledTransfersMax - 1))
    const next: [string, FaultRule][] = [...kept, [reference, rule]]
    await this.#call('localnet_setFaults', [next.map(([, nextRule]) => nextRule)])
    this.#rules.clear()
    for (const [memo, nextRule] of next) this.#rules.set(memo, nextRule)
  }

  /** The outcome of a transaction that the chain has executed. */
  async #findEnd(signature: string): Promise<'land' | 'fail' | undefined> {
    const params = [[signature], { searchTransactionHistory: true }]
    const answer = (await this.#call('getSignatureStatuses', params)) as {
      value: ({ err: unknown } | null)[]
    }
    const [status] = answer.value
    if (!status) return undefined
    return status.err === null ? 'land' : 'fail'
  }

  /** A localnet that cannot be reached is a refusal, not a bug. */
  async #call(method: string, params: unknown[]): Promise<unknown> {
    try {
      return await callLocalnet(this.#url, method, params)
    } catch (error) {
      const isUnreachable = error instanceof TypeError || (error as Error).name === 'TimeoutError'
      throw isUnreachable ? railUnavailable() : error
    }
  }
}
