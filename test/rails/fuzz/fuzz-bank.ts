import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from '../../../src/base/config.js'
import { toReference } from '../../../src/base/ids.js'
import { verifyLedger } from '../../../src/operations/proofs/verify-ledger.js'
import { type PayoutKind, payoutKinds } from '../../../src/payouts/payout.js'
import { sql } from '../../../src/postgres/sql.js'
import { fromProviderReference } from '../../../src/rails/bank/instruction.js'
import { type MutatingProxy, openMutatingProxy } from '../../support/mutating-proxy.js'
import type { Reply } from '../../support/open-manilla.js'
import type { Random } from '../../support/seed.js'
import { openEmulatedBank } from '../contract/emulated-bank.js'
import { openWorld, type World } from '../contract/open-world.js'
import type { Shop } from '../contract/shop.js'
import { mutateAnswer, mutateJson } from './mutate-json.js'

export type FuzzReport = {
  cases: number
  /** Answers of the provider that were changed, and changed notices. */
  mutated: number
  /** Calls to our API. */
  asked: number
  /** Answers of 500, errors that are no refusal, and answers that do not match the document. */
  broken: string[]
  /** Payments at the provider that are neither booked nor shown to operators; unknown accounts. */
  lost: string[]
  /** Payments booked twice or of another amount; payouts and refunds made twice. */
  doubled: string[]
  /** Payouts and refunds that did not end, or ended otherwise than at the provider. */
  undecided: string[]
  /** Payments that wait for an operator, because the provider named no account of ours. */
  shown: number
  /** What the provider's books have at the end: a run without any would prove nothing. */
  atBank: { accounts: number; payments: number; payouts: number; refunds: number }
}

type Bounds = { cases: number; random: Random; ms: number }

/** Errors that workers and rails may report: the provider's answer decided nothing. */
const expected = new Set(['Unknown', 'Unreadable', 'LoginRefused', 'Refusal'])

const settleEvery = 40

/**
 * Runs every operation of a bank rail over HTTP and through the workers while the provider's answers
 * are changed. From time to time answers are sane again, and the books must agree with the provider's.
 */
export async function fuzzBank(provider: Provider, bounds: Bounds): Promise<FuzzReport> {
  const { random } = bounds
  let proxy!: MutatingProxy
  const world = await openWorld((tools) =>
    openEmulatedBank(provider, tools, async (url) => {
      proxy = await openMutatingProxy(url)
      return proxy.url
    }),
  )
  const run = new Run(provider, { world, proxy, random, shop: await world.open() })
  const endMs = performance.now() + bounds.ms
  await run.begin()
  while (run.report.cases < bounds.cases && performance.now() < endMs) {
    await run.oneCase()
    if (run.report.cases % settleEvery === 0) await run.settle()
  }
  await run.settle()
  await run.judge()
  return run.report
}

type Parts = { world: World; proxy: MutatingProxy; random: Random; shop: Shop }

/** A request that was refused while answers were odd; it must succeed once they are sane. */
type Opening = { path: string; body: object; key: string }

class Run {
  readonly report: FuzzReport = {
    cases: 0,
    mutated: 0,
    asked: 0,
    broken: [],
    lost: [],
    doubled: [],
    undecided: [],
    shown: 0,
    atBank: { accounts: 0, payments: 0, payouts: 0, refunds: 0 },
  }
  readonly #provider: Provider
  readonly #world: World
  readonly #proxy: MutatingProxy
  readonly #random: Random
  readonly #shop: Shop
  readonly #unopened: Opening[] = []
  readonly #accounts: { path: string; reference: string; number: string }[] = []
  /** Numbers that the provider gave, whatever of its answer arrived. */
  readonly #numbers = new Set<string>()
  #linesRead = { world: 0, service: 0 }
  #count = 0

  constructor(provider: Provider, { world, proxy, random, shop }: Parts) {
    this.#provider = provider
    this.#world = world
    this.#proxy = proxy
    this.#random = random
    this.#shop = shop
  }

  /** An account with money, opened while answers are sane. */
  async begin(): Promise<void> {
    this.#proxy.mutateWith((call, answer) => {
      this.#noteNumbers(call.method, answer.body)
      return answer
    })
    await this.#open('dedicated-accounts')
    await this.#pay(1_000_000_000)
    await this.#settleWorkers(10)
  }

  async oneCase(): Promise<void> {
    const random = this.#random
    this.report.cases += 1
    this.#confuse()
    const operations: (() => Promise<unknown>)[] = [
      () => this.#open('virtual-accounts'),
      () => this.#open('virtual-accounts'),
      () => this.#open('dedicated-accounts'),
      () => this.#pay(this.#amount()),
      () => this.#pay(this.#amount()),
      () => this.#sendOddNotice(),
      () => this.#requery(),
      () => this.#close(),
      () => this.#payOut(),
      () => this.#payOut(),
      () => this.#refund(),
      () => this.#ask('GET', '/v1/banks'),
      () => this.#ask('GET', '/v1/banks/resolve?bankCode=058&accountNumber=0123456789'),
      () => this.#reverse(),
      () => this.#tolerate(() => this.#world.fetchMissed()),
      () => this.#tolerate(() => this.#world.compare()),
      () => this.#tolerate(() => this.#world.bank.rail.readFloat()),
      () => this.#tolerate(() => this.#world.bank.rail.examine()),
    ]
    for (let count = random.integer(1, 3); count > 0; count -= 1) await random.pick(operations)()
    await this.#world.bank.drainNotices()
    await this.#tolerate(() => this.#world.work())
    this.#world.clock.advance(random.pick([500, 2_000, 6_000, 30_000]))
  }

  /** In some cases few answers are changed, so that later calls are reached, in others most. */
  #confuse(): void {
    const random = this.#random
    const share = random.pick([1, 2, 4, 8])
    this.#proxy.mutateWith((call, answer) => {
      this.#noteNumbers(call.method, answer.body)
      // A login decides nothing; without it no other call is made.
      if (call.path.endsWith('/auth/login') && random.integer(1, 20) > 1) return answer
      if (random.integer(1, 10) > share) return answer
      this.report.mutated += 1
      return mutateAnswer(random, answer)
    })
  }

  #noteNumbers(method: string, body: string): void {
    if (method !== 'POST') return
    const given = /"(?:transfer_account|account_?number|accountNumber)":"(\d{10})"/g
    const isOpening = /transfer_account|account_expires_at|"assigned"|order_ref|"accounts"|invoice/i
    if (isOpening.test(body))
      for (const [, number] of body.matchAll(given)) this.#numbers.add(number!)
  }

  async #ask(
    method: string,
    path: string,
    body?: object,
    key?: string,
  ): Promise<Reply | undefined> {
    this.report.asked += 1
    try {
      const reply = await this.#shop.send(method, path, body, key)
      if (reply.status === 500) this.#break(`${method} ${path}: ${reply.text}`)
      return reply
    } catch (error) {
      this.#break(`${method} ${path}: ${error}`)
      return undefined
    }
  }

  #break(what: string): void {
    this.report.broken.push(`case ${this.report.cases}: ${what.slice(0, 600)}`)
  }

  /** A worker's run may fail if the provider's answer decides nothing: it runs again. */
  async #tolerate(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const { name, stack } = error as Error
      if (!expected.has(name)) this.#break(`${stack}`)
    }
    this.#readLogs()
  }

  #readLogs(): void {
    const { lines, service } = this.#world
    const fresh = [
      ...lines.slice(this.#linesRead.world),
      ...service.log.slice(this.#linesRead.service),
    ]
    this.#linesRead = { world: lines.length, service: service.log.length }
    for (const line of fresh) {
      const { err, msg } = JSON.parse(line)
      if (err && !expected.has(err.type)) this.#break(`${msg}: ${err.stack ?? err.message}`)
    }
  }

  #amount(): number {
    this.#count += 1
    return 500_000 + 100 * this.#count
  }

  async #open(kind: 'virtual-accounts' | 'dedicated-accounts'): Promise<void> {
    const amount = this.#amount()
    const name = `fuzz-${amount}`
    const customer = {
      name: 'Chuka Okafor',
      email: `${name}@example.com`,
      phone: '+2348012345678',
      bvn: '22222222226',
    }
    const body =
      kind === 'virtual-accounts'
        ? { merchantReference: name, amount }
        : { externalReference: name, customer }
    await this.#tryOpening({ path: `/v1/collections/${kind}`, body, key: name })
  }

  async #tryOpening(opening: Opening): Promise<boolean> {
    const reply = await this.#ask('POST', opening.path, opening.body, opening.key)
    if (reply?.status !== 201) {
      if (reply && reply.status < 500 && reply.status !== 422)
        this.#break(`opening: ${reply.status} ${reply.text}`)
      if (reply && reply.status >= 500) this.#unopened.push(opening)
      return false
    }
    const { reference, accountReference, accountNumber: number } = reply.json.data
    this.#accounts.push({ path: opening.path, reference: reference ?? accountReference, number })
    return true
  }

  async #pay(amount: number): Promise<void> {
    if (this.#accounts.length === 0) return
    const { number } = this.#random.pick(this.#accounts)
    const isSilent = this.#random.integer(1, 4) === 1
    await this.#world.bank.pay({ accountNumber: number, amount: BigInt(amount), isSilent })
  }

  /** A notice as the provider might write it tomorrow, with the signature that it would have. */
  async #sendOddNotice(): Promise<void> {
    const { relay, bank, post } = this.#world
    relay.hold()
    await this.#pay(this.#amount())
    await bank.drainNotices()
    for (const { body } of relay.release()) {
      const odd = mutateJson(this.#random, body)
      this.report.mutated += 1
      this.report.asked += 1
      try {
        const headers = { 'content-type': 'application/json', ...bank.sign(odd) }
        const { status, text } = await post({ headers, body: odd })
        if (status >= 500) this.#break(`notice: ${status} ${text}: ${odd}`)
      } catch (error) {
        this.#break(`notice: ${error}: ${odd}`)
      }
    }
  }

  async #requery(): Promise<void> {
    const temporary = this.#accounts.filter(({ path }) => path.endsWith('virtual-accounts'))
    if (temporary.length === 0) return
    const { path, reference } = this.#random.pick(temporary)
    await this.#ask('POST', `${path}/${reference}/requery`, {})
  }

  async #close(): Promise<void> {
    const { path, reference } = this.#random.pick(this.#accounts)
    const isTemporary = path.endsWith('virtual-accounts')
    await this.#ask('POST', `${path}/${reference}/${isTemporary ? 'cancel' : 'deactivate'}`, {})
  }

  async #payOut(): Promise<void> {
    const amount = this.#amount()
    const to = this.#world.bank.recipient('ordinary')
    await this.#ask('POST', '/v1/disbursements/bank-transfer', { amount, ...to }, `pay ${amount}`)
  }

  async #refund(): Promise<void> {
    const payments = (await this.#shop.payments()).filter(({ status }) => status === 'ACCEPTED')
    if (payments.length === 0) return
    const { reference } = this.#random.pick(payments)
    await this.#ask('POST', `/v1/collections/payments/${reference}/refund`, { amount: 20_000 })
  }

  async #reverse(): Promise<void> {
    const { payouts } = await this.#world.bank.books()
    const successful = payouts.filter(({ state }) => state === 'success')
    if (successful.length === 0) return
    const { reference } = this.#random.pick(successful)
    await this.#world.bank.reverse(fromProviderReference(reference))
  }

  /** Answers are sane: openings are retried, and everything under way ends. */
  async settle(): Promise<void> {
    this.#proxy.mutateWith((call, answer) => {
      this.#noteNumbers(call.method, answer.body)
      return answer
    })
    // The provider counts as down after several answers that could not be read.
    this.#world.clock.advance(10_000)
    await this.#ask('GET', '/v1/banks')
    for (const opening of this.#unopened.splice(0)) {
      this.#world.clock.advance(100)
      if (!(await this.#tryOpening(opening)))
        this.report.lost.push(`account of ${JSON.stringify(opening)}`)
    }
    await this.#settleWorkers(60)
  }

  async #settleWorkers(stepsMax: number): Promise<void> {
    const { db, clock, bank } = this.#world
    for (let step = 0; step < stepsMax; step += 1) {
      await bank.drainNotices()
      await this.#tolerate(() => this.#world.work())
      await this.#tolerate(() => this.#world.fetchMissed())
      const [{ open } = { open: 0n }] = await db.rows(sql<{ open: bigint }>`
        select (select count(*) from payouts where status = 'SUBMITTED')
          + (select count(*) from payment_returns where state = 'WAITING')
          + (select count(*) from notices where state = 'WAITING') as open`)
      if (open === 0n && step > 0) return
      clock.advance(15_000)
      // Emulators work with timers.
      await sleep(5)
    }
  }

  /** A payer still knows every number that the provider ever gave. */
  async judge(): Promise<void> {
    const { bank, db } = this.#world
    for (const accountNumber of this.#numbers)
      await bank.pay({ accountNumber, amount: BigInt(this.#amount()) })
    await this.#settleWorkers(60)
    await this.#comparePayments()
    await this.#comparePayouts()
    const { payments, payouts, refunds } = await bank.books()
    this.report.atBank = {
      accounts: this.#numbers.size,
      payments: payments.length,
      payouts: payouts.length,
      refunds: refunds.length,
    }
    for (const { claim, counterexamples } of await verifyLedger(db))
      if (counterexamples.length > 0) this.#break(`proof: ${claim}`)
  }

  async #comparePayments(): Promise<void> {
    const { bank, db } = this.#world
    const { name } = bank.rail
    const { payments } = await bank.books()
    const booked = await db.rows(sql<{ id: string; amount: bigint }>`
      select rail_id as id, amount from payments where rail = ${name}`)
    const noticed = await db.rows(sql<{ id: string }>`
      select id from notices where rail = ${name} and state in ('UNMATCHED', 'REFUSED')`)
    const waiting = new Set(noticed.map(({ id }) => id))
    const byId = new Map(booked.map((payment) => [payment.id, payment]))
    if (byId.size < booked.length) this.report.doubled.push('a payment is booked twice')
    for (const { id, amount, reference } of payments) {
      const ours = byId.get(id)
      if (ours && ours.amount !== amount)
        this.report.doubled.push(`payment ${id}: ${ours.amount} instead of ${amount}`)
      if (ours) byId.delete(id)
      else if (waiting.has(id)) this.report.shown += 1
      else this.report.lost.push(`payment ${id} of ${amount} into ${reference}`)
    }
    for (const { id } of byId.values()) this.report.doubled.push(`payment ${id} is not at the bank`)
  }

  async #comparePayouts(): Promise<void> {
    const { bank, db } = this.#world
    const { payouts, refunds } = await bank.books()
    const atBank = new Map<string, string>()
    for (const [token, state] of [
      ...payouts.map((one) => [one.reference, one.state] as const),
      ...refunds.map((one) => [one.note, one.state] as const),
    ]) {
      const reference = fromProviderReference(token)
      if (atBank.has(reference)) this.report.doubled.push(`payout ${reference}`)
      atBank.set(reference, state)
    }
    type Row = { id: string; kind: PayoutKind; status: string }
    const rows = await db.rows(sql<Row>`select id, kind, status from payouts`)
    for (const { id, kind, status } of rows) {
      const reference = toReference(payoutKinds[kind].prefix, id)
      const state = atBank.get(reference)
      const fits = {
        COMPLETED: state === 'success',
        REVERSED: state === 'reversed',
        FAILED: state !== 'success' && state !== 'pending',
      }
      if (!(fits as Record<string, boolean>)[status])
        this.report.undecided.push(`${reference} is ${status}, at ${this.#provider} ${state}`)
    }
  }
}
