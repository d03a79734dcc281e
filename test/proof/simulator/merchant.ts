import type { Draws } from './draws.js'
import type { ToldCustomer } from './expected-billing.js'
import type { Faults } from './faults.js'
import type { ApiInstance, ApiRequest } from './instances.js'
import type { Violations } from './violations.js'

const second = 1_000

/** The parsed body is unchecked: what matters of it is compared by the oracle. */
export type Answer = { status: number; text: string; json: ReturnType<typeof JSON.parse> }

type Action = 'return' | 'accept' | 'hold'

type Policy = {
  underpayment: Action
  overpayment: Action
  latePayment: Action
  duplicatePayment: Action
}

/** What the merchant does with payments that do not match. */
export type Policies = { bank: Policy; crypto: Policy }

export type Merchant = {
  name: string
  environmentId: number
  key: string
  /** Payouts made with it wait for a member. */
  waitingKey: string
  webhookUrl: string
  endpointId: string
  policies: Policies
  /** Where settlements go: its bank and account number. */
  bankAccount: string
  /** Payouts of more than this wait for an approval, by asset. */
  approvalLimits: Map<string, bigint>
  /** References of its sub-accounts. */
  sellers: string[]
  /** Whom it invoices. */
  customers: ToldCustomer[]
  /** Whether its naira above a reserve are settled every day. */
  hasSchedule: boolean
}

/** Keeps enough for payouts. */
export const dailySettlement = {
  time: '18:00',
  /** The same in UTC. */
  utcHour: 17,
  reserve: 100_000_000,
  minimum: 1_000_000,
}

type ClientDependencies = {
  findApis: () => ApiInstance[]
  faults: Faults
  violations: Violations
}

/** Who sends a request, and waits before sending it again. */
export type Caller = { draws: Draws; sleep(durationMs: number): Promise<void> }

type Posting = {
  name: string | undefined
  body: object
  caller: Caller
  /** Absent: the merchant's ordinary one. */
  key?: string | undefined
}

/** A client that gives up has found a service that does not recover. */
const triesMax = 60

const backOffMaxMs = 600 * second

/** Operations are valid when they are drawn; what others did meanwhile can change that. */
const mayBeTooLate = ['must be in the future', 'what is due or was paid']

/** Answers after which the same request is sent again. */
const isRetried = ({ status, json }: Answer) =>
  status >= 500 || status === 429 || json?.reason === 'idempotency_in_progress'

/** Everything but the number of the request, which a repeated refusal does not repeat. */
const essenceOf = ({ status, text }: Answer) =>
  `${status} ${text.replace(/"requestId":"[^"]*"/, '')}`

/**
 * The merchants' HTTP client. It repeats a request with the same idempotency key, at any API
 * instance, until it gets an answer; all answers to one request must be the same.
 */
export class Client {
  readonly #dependencies: ClientDependencies
  /** How often the API gave each answer, by status and reason. */
  readonly answers = new Map<string, number>()

  constructor(dependencies: ClientDependencies) {
    this.#dependencies = dependencies
  }

  /** `name` becomes the idempotency key; undefined: the operation takes none. */
  post(
    merchant: Merchant,
    path: string,
    { name, body, caller, key = merchant.key }: Posting,
  ): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(name !== undefined && { 'idempotency-key': name }),
    }
    return this.#askUntilAnswered({ method: 'POST', path, headers, body }, caller)
  }

  patch(merchant: Merchant, path: string, body: object, caller: Caller): Promise<Answer> {
    const headers = { authorization: `Bearer ${merchant.key}` }
    return this.#askUntilAnswered({ method: 'PATCH', path, headers, body }, caller)
  }

  get(merchant: Merchant, path: string, caller: Caller): Promise<Answer> {
    const headers = { authorization: `Bearer ${merchant.key}` }
    return this.#askUntilAnswered({ method: 'GET', path, headers }, caller)
  }

  /** One try, as a bank makes it that sends its notices again later. */
  async try(request: ApiRequest, draws: Draws): Promise<Answer | undefined> {
    const apis = this.#dependencies.findApis()
    return apis.length === 0 ? undefined : this.#ask(draws.pick(apis), request)
  }

  async #askUntilAnswered(request: ApiRequest, { draws, sleep }: Caller): Promise<Answer> {
    const { findApis, faults, violations } = this.#dependencies
    const isRepeatable = request.headers['idempotency-key'] !== undefined
    let lost: Answer | undefined
    let last: Answer | undefined
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const backOffMs = Math.min(2 ** tries * second, backOffMaxMs)
      if (tries > 1) await sleep(draws.integer(0, backOffMs))
      const apis = draws.shuffle(findApis())
      const isDoubled = isRepeatable && faults.strikes('api request doubled')
      const asked = apis.slice(0, isDoubled ? 2 : 1)
      const answers = await Promise.all(asked.map((api) => this.#ask(api, request)))
      for (const answer of answers) {
        last = answer ?? last
        if (!answer || isRetried(answer)) continue
        if (isRepeatable && lost && essenceOf(lost) !== essenceOf(answer))
          violations.report(
            `api: ${request.path} ${request.headers['idempotency-key']} was answered ` +
              `${essenceOf(lost)}, then ${essenceOf(answer)}`,
          )
        lost = answer
      }
      if (!lost || faults.strikes('api answer lost')) continue
      this.#count(lost)
      if (lost.status === 400 && !mayBeTooLate.some((issue) => lost!.text.includes(issue)))
        violations.report(`api: ${request.path} ${JSON.stringify(request.body)} gave ${lost.text}`)
      return lost
    }
    throw new Error(`no answer to ${request.path} after ${triesMax} tries: ${last?.text}`)
  }

  #count({ status, json }: Answer): void {
    const name = status < 300 ? `${status}` : `${status} ${json?.reason ?? json?.code}`
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1)
  }

  /** Undefined: the instance died before its answer reached the caller. */
  async #ask(api: ApiInstance, request: ApiRequest): Promise<Answer | undefined> {
    const response = await api.ask(request).catch(() => undefined)
    if (!response || api.life.isDead) return undefined
    const isJson = response.headers['content-type']?.toString().startsWith('application/json')
    return {
      status: response.statusCode,
      text: response.body,
      json: isJson ? response.json() : undefined,
    }
  }
}
