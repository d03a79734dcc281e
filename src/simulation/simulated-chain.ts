import { strict as assert } from 'node:assert'
import type { Instructed, PayoutRail, SimulatedRail } from '../payouts/ports.js'
import { overloaded } from '../postgres/overloaded.js'
import { railUnavailable } from '../rails/solana/refuse.js'
import { callLocalnet } from './embedded-chain.js'
import { localnetLimits } from './localnet/limits.js'
import type { Fault, FaultRule } from './localnet/start.js'

type Order = Parameters<SimulatedRail['instruct']>[0]

const faultsByOutcome: Record<string, Fault> = { land: 'spare', fail: 'fail', expire: 'drop' }

/**
 * The embedded chain, as those who give it instructions see it. It takes rules only as a whole
 * list, so the list is kept here, and one instruction is followed after the other. It is forgotten
 * when the process ends, and its oldest rules are when there are too many.
 */
export class SimulatedChain implements SimulatedRail {
  readonly name: string
  readonly send: PayoutRail['send']
  readonly #url: string
  /** By the memo of the transfer: a rule outlives the attempt that it was made for. */
  readonly #rules = new Map<string, FaultRule>()
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(url: string, rail: PayoutRail) {
    this.name = rail.name
    this.send = rail.send
    this.#url = url
  }

  async instruct(order: Order): Promise<Instructed> {
    if (this.#waiting >= localnetLimits.settled) throw overloaded()
    this.#waiting += 1
    const turn = this.#last.then(() => this.#follow(order))
    this.#last = turn.catch(() => {}) // for the next one to begin; who asked is told of it
    return turn.finally(() => {
      this.#waiting -= 1
    })
  }

  /** The rule first: what has not landed when we look will meet it, whoever sends it then. */
  async #follow({ reference, outcome, attempt }: Order): Promise<Instructed> {
    const fault = faultsByOutcome[outcome]
    assert(fault, 'only what a chain can be told is passed on to it')
    const isRepeat = this.#rules.get(reference)?.fault === fault
    if (!attempt) return isRepeat ? 'obeyed' : 'too_late'
    // Set again each time: a chain that was started anew has forgotten it.
    await this.#set(reference, { match: { memo: reference }, fault })
    if (await this.#hasLanded(attempt.token)) {
      if (isRepeat) return 'obeyed'
      this.#rules.delete(reference)
      return 'too_late'
    }
    await this.send([attempt])
    return 'obeyed'
  }

  async #set(reference: string, rule: FaultRule): Promise<void> {
    const rules = new Map(this.#rules)
    rules.delete(reference)
    const kept = [...rules].slice(-(localnetLimits.settled - 1))
    const next: [string, FaultRule][] = [...kept, [reference, rule]]
    await this.#ask('localnet_setFaults', [next.map(([, one]) => one)])
    this.#rules.clear()
    for (const [memo, one] of next) this.#rules.set(memo, one)
  }

  async #hasLanded(signature: string): Promise<boolean> {
    const params = [[signature], { searchTransactionHistory: true }]
    const answer = (await this.#ask('getSignatureStatuses', params)) as { value: unknown[] }
    return answer.value[0] !== null
  }

  /** Somebody waits for the answer: to them, a chain that is away is a refusal and no bug. */
  async #ask(method: string, params: unknown[]): Promise<unknown> {
    try {
      return await callLocalnet(this.#url, method, params)
    } catch (error) {
      const isAway = error instanceof TypeError || (error as Error).name === 'TimeoutError'
      throw isAway ? railUnavailable() : error
    }
  }
}
