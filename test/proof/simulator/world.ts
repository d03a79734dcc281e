import { randomBytes } from 'node:crypto'
import { toEnvironmentTime } from '../../../src/base/clock.js'
import { createSeal } from '../../../src/base/sealed.js'
import { Secret } from '../../../src/base/secret.js'
import { Rails } from '../../../src/collections/rails.js'
import { createMerchant } from '../../../src/merchants/create-merchant.js'
import { issueKey } from '../../../src/merchants/keys/issue-key.js'
import { addBankAccount, makePrimary } from '../../../src/merchants/settings/bank-accounts.js'
import { writeApprovals } from '../../../src/merchants/settings/settings.js'
import type { Approvals } from '../../../src/merchants/settings/settings-document.js'
import { verifyLedger } from '../../../src/operations/proofs/verify-ledger.js'
import { reconcile } from '../../../src/operations/reconcile/reconcile.js'
import type { Database } from '../../../src/postgres/database.js'
import { sql } from '../../../src/postgres/sql.js'
import { freshDatabase } from '../../support/database.js'
import { show } from '../../support/show.js'
import type { Keeper, Passage } from '../gates/passage.js'
import { SimulatedBank } from './bank.js'
import { readBooks } from './books.js'
import { SimulatedChain } from './chain.js'
import { type Draws, drawsFor } from './draws.js'
import { bankRecipient } from './expected-transfers.js'
import { Faults, faultKinds } from './faults.js'
import {
  type ApiInstance,
  openApi,
  openWorker,
  type Surroundings,
  type WorkerInstance,
} from './instances.js'
import { type Caller, Client, dailySettlement, type Merchant, type Policies } from './merchant.js'
import { coins, readAmount } from './money.js'
import { drawKind, operations } from './operations.js'
import { Oracle } from './oracle.js'
import type { Life } from './outside.js'
import { isSkipped, isVaried, type WorldPlan, type WorldResult } from './plan.js'
import { Receiver } from './receiver.js'
import { Violations } from './violations.js'
import { VirtualTime } from './virtual-time.js'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const merchantsPerWorld = 10
const apisPerWorld = 2
const workersPerWorld = 2

/** Operations that begin at the same moment. */
const operationsPerStepMax = 64

/** Everything is compared after this many operations. */
const operationsPerComparison = 10_000

/** A world that is not quiet after so many steps of the clock, weeks later, never will be. */
const stepsToRestMax = 300

export class World {
  readonly #plan: WorldPlan
  readonly #db: Database
  readonly #time = new VirtualTime(() => this.#isBusy())
  readonly #violations = new Violations()
  readonly #faults: Faults
  readonly #bank: SimulatedBank
  readonly #chain: SimulatedChain
  readonly #receiver: Receiver
  readonly #oracle: Oracle
  readonly #client: Client
  readonly #draws: Draws
  readonly #surroundings: Surroundings
  readonly #performed = new Map<string, number>()
  readonly #accepted = new Map<string, number>()
  readonly #closing: Promise<void>[] = []
  #apis: ApiInstance[] = []
  #workers: WorkerInstance[] = []
  #kills = 0
  #done = 0
  #failedStarts = 0
  /** Rows that were open when the world last tried to come to rest. */
  #openRows: Record<string, number> = {}

  private constructor(plan: WorldPlan, db: Database) {
    const { seed } = plan
    const [time, violations] = [this.#time, this.#violations]
    this.#plan = plan
    this.#db = db
    this.#draws = drawsFor(seed, 'world')
    this.#faults = new Faults(seed, plan.without ?? [])
    const faults = this.#faults
    this.#bank = new SimulatedBank({ seed, time, faults, violations })
    this.#chain = new SimulatedChain({ seed, time, faults, violations })
    this.#receiver = new Receiver({ time, faults, violations })
    const [bank, chain, receiver] = [this.#bank, this.#chain, this.#receiver]
    this.#oracle = new Oracle({ bank, chain, receiver, violations, time })
    this.#client = new Client({ findApis: () => this.#apis, faults, violations })
    this.#surroundings = {
      databaseUrl: db.url,
      secret: new Secret(randomBytes(32).toString('hex')),
      time,
      bank,
      chain,
      keeperOf: (life) => this.#keeperOf(life),
      senderOf: (life) => this.#receiver.senderOf(life),
      drawCourier: () => this.#draws.chance(0.5),
    }
  }

  /** Simulates a plan from an empty database to the last comparison. */
  static async run(plan: WorldPlan, onProgress = (_: number) => {}): Promise<WorldResult> {
    const world = new World(plan, await freshDatabase())
    try {
      await world.#open()
      await world.#perform(onProgress)
    } catch (error) {
      world.#violations.report(`the simulation failed: ${(error as Error).stack}`)
    } finally {
      await world.#close()
    }
    return world.#result()
  }

  #result(): WorldResult {
    return {
      done: this.#done,
      operations: Object.fromEntries(this.#performed),
      accepted: Object.fromEntries(this.#accepted),
      answers: Object.fromEntries(this.#client.answers),
      faults: Object.fromEntries(this.#faults.counts),
      kills: this.#kills,
      failedStarts: this.#failedStarts,
      virtualDays: this.#time.days,
      webhooks: this.#receiver.received,
      violations: this.#violations.found,
    }
  }

  async #open(): Promise<void> {
    this.#faults.hasCeased = true
    for (let count = 0; count < apisPerWorld; count += 1) await this.#openApi()
    for (let count = 0; count < workersPerWorld; count += 1) await this.#openWorker()
    for (let count = 0; count < merchantsPerWorld; count += 1) await this.#addMerchant(count)
    this.#faults.hasCeased = false
  }

  #isBusy(): boolean {
    return [...this.#apis, ...this.#workers].some((instance) => instance.isBusy())
  }

  async #openApi(): Promise<void> {
    this.#apis.push(await openApi(this.#surroundings))
  }

  async #openWorker(): Promise<void> {
    this.#workers.push(await openWorker(this.#surroundings))
  }

  async #addMerchant(number: number): Promise<void> {
    const name = `merchant ${number}`
    const { clock } = this.#time
    const [bankCode, accountNumber] = ['058', `20000000${10 + number}`]
    const { environment, key, waitingKey } = await this.#db.transaction(async (tx) => {
      const { environments } = await createMerchant(tx, clock.now(), name)
      const account = {
        environmentId: environments.test.id,
        bankCode,
        accountNumber,
        accountName: name,
      }
      makePrimary(tx, await addBankAccount(tx, clock.now(), account), null)
      const issue = async (payoutsWait: boolean) => {
        const issued = await issueKey(tx, clock.now(), {
          seal: createSeal(this.#surroundings.secret),
          kind: 'secret',
          environment: environments.test,
          name,
          expiresAt: null,
          allowedAddresses: [],
          payoutsWait,
        })
        return issued.key.reveal()
      }
      const [key, waitingKey] = [await issue(false), await issue(true)]
      return { environment: environments.test, key, waitingKey }
    })
    const webhookUrl = `http://127.0.0.1:9/${number}`
    const draws = drawsFor(this.#plan.seed, name)
    const policies = drawPolicies(draws)
    const hasSchedule = draws.chance(0.3)
    const merchant: Merchant = {
      name,
      environmentId: environment.id,
      key,
      waitingKey,
      webhookUrl,
      endpointId: '',
      policies,
      bankAccount: bankRecipient({ bankCode, accountNumber }),
      approvalLimits: new Map(),
      sellers: [],
      customers: [],
      hasSchedule,
    }
    const caller = { draws, sleep: (durationMs: number) => this.#time.sleep(durationMs) }
    const endpoint = { name, body: { url: webhookUrl }, caller }
    const { json } = await this.#client.post(merchant, '/v1/webhook-endpoints', endpoint)
    this.#receiver.addEndpoint(webhookUrl, json.data.secret)
    merchant.endpointId = json.data.id
    for (const seller of ['Ada', 'Bola']) {
      const created = { name: `${name} ${seller}`, body: { name: seller }, caller }
      const { json: shown } = await this.#client.post(merchant, '/v1/subaccounts', created)
      merchant.sellers.push(shown.data.reference)
    }
    for (const person of ['Chidi', 'Dupe']) await this.#addCustomer(merchant, person, caller)
    const { time, reserve, minimum } = dailySettlement
    const settings = {
      policies,
      ...(hasSchedule && { settlement: { schedule: 'daily', time, reserve, minimum } }),
    }
    const changed = await this.#client.patch(merchant, '/v1/settings', settings, caller)
    if (changed.status !== 200) throw new Error(changed.text)
    const approvals = drawApprovals(draws)
    // Only an owner changes the rule, in the console; this sets the stage, it is not simulated.
    if (approvals) {
      await this.#db.transaction((tx) =>
        writeApprovals(tx, toEnvironmentTime(clock.now(), 0), environment.id, approvals),
      )
      for (const asset of ['NGN', ...coins] as const) {
        const limits = approvals[asset]
        if (limits) merchant.approvalLimits.set(asset, readAmount(limits.each))
      }
    }
    this.#oracle.merchants.push(merchant)
  }

  /** Chidi is orderly. */
  async #addCustomer(merchant: Merchant, person: string, caller: Caller): Promise<void> {
    const post = async (path: string, body: object) => {
      const name = `${merchant.name} ${person} ${path}`
      return (await this.#client.post(merchant, path, { name, body, caller })).json.data
    }
    const { reference } = await post('/v1/customers', { name: person })
    const account = await post(`/v1/customers/${reference}/accounts`, { kind: 'dedicated_account' })
    const { reference: accountReference, accountNumber } = account
    this.#oracle.noteAccount({
      merchant,
      kind: 'dedicated_account',
      reference: accountReference,
      number: accountNumber,
      asset: 'NGN',
      amount: null,
      expiresAt: null,
      isCustomers: true,
    })
    const isOrderly = person === 'Chidi'
    merchant.customers.push({ merchant, reference, accountReference, accountNumber, isOrderly })
  }

  async #perform(onProgress: (done: number) => void): Promise<void> {
    while (this.#done < this.#plan.operations) {
      const until = Math.min(this.#done + operationsPerComparison, this.#plan.operations)
      this.#faults.hasCeased = false
      while (this.#done < until) {
        const count = Math.min(this.#draws.integer(1, operationsPerStepMax), until - this.#done)
        for (let index = 0; index < count; index += 1) this.#start(this.#done + index)
        this.#done += count
        await this.#step(this.#drawStepMs())
      }
      await this.#comeToRest()
      await this.#compare()
      onProgress(this.#done)
      if (this.#violations.found.length > 0) return
    }
    if (isVaried(this.#plan)) this.#expectEveryKind()
  }

  /** What never occurs is not proven. */
  #expectEveryKind(): void {
    for (const kind of Object.keys(operations))
      if (!this.#accepted.has(kind)) this.#violations.report(`no ${kind} was ever accepted`)
    for (const kind of faultKinds)
      if (!this.#faults.counts.has(kind)) this.#violations.report(`the fault ${kind} never struck`)
  }

  #start(number: number): void {
    if (isSkipped(this.#plan, number)) return
    const draws = drawsFor(this.#plan.seed, `operation ${number}`)
    const kind = drawKind(draws)
    addOne(this.#performed, kind)
    this.#time.run(async ({ sleep }) => {
      try {
        await operations[kind].perform({
          name: `operation-${number}`,
          noteAccepted: () => addOne(this.#accepted, kind),
          draws,
          sleep,
          merchant: draws.pick(this.#oracle.merchants),
          client: this.#client,
          oracle: this.#oracle,
          bank: this.#bank,
          chain: this.#chain,
          time: this.#time,
        })
      } catch (error) {
        this.#violations.report(`${kind} ${number} failed: ${(error as Error).stack}`)
      }
    })
  }

  /** Mostly moments, so that much happens at once; sometimes hours. */
  #drawStepMs(): number {
    const ticket = this.#draws.integer(1, 100)
    if (ticket <= 60) return this.#draws.integer(10, 2 * second)
    if (ticket <= 95) return this.#draws.integer(2 * second, 2 * minute)
    return this.#draws.integer(2 * minute, hour)
  }

  /** Lets everything happen that happens now, then advances the clock. */
  async #step(durationMs: number): Promise<void> {
    if (this.#faults.strikes('bank silent'))
      this.#bank.silentUntilMs =
        this.#time.nowMs + this.#faults.drawsOf('bank silent').pick([1, 10, 60]) * minute
    this.#receiver.drawFailures()
    for (const worker of this.#workers) {
      worker.deliverer.wake()
      this.#time.run(async () => {
        for (const job of await worker.findDueJobs()) this.#time.run(() => worker.runJob(job))
      })
    }
    for (const request of this.#bank.takeDueNotices()) this.#postNotice(request)
    await this.#time.rest()
    this.#time.advance(durationMs)
  }

  #postNotice(request: ReturnType<SimulatedBank['takeDueNotices']>[number]): void {
    const headers = { ...request.headers, 'content-type': 'application/json' } as Record<
      string,
      string
    >
    this.#time.run(async () => {
      const path = '/rails/simulated-bank/notices/test'
      const sent = { method: 'POST', path, headers, body: request.body } as const
      const answer = await this.#client.try(sent, this.#draws)
      if (answer?.status !== 200) this.#bank.sendAgain(request)
    })
  }

  /** As an orchestrator does, until the process runs. */
  #restart(open: () => Promise<void>): void {
    this.#time.run(async ({ sleep }) => {
      await sleep(this.#draws.integer(1, 20) * second)
      await open().catch(() => {
        this.#failedStarts += 1
        this.#restart(open)
      })
    })
  }

  /** Decides about the commits of one process: cut, lost, or the moment at which it dies. */
  #keeperOf(life: Life): Keeper {
    const kill = (): boolean => {
      const api = this.#apis.find((instance) => instance.life === life)
      const kind = api ? 'api killed' : 'worker killed'
      if (life.isDead || !this.#faults.strikes(kind)) return false
      const instance = api ?? this.#workers.find((worker) => worker.life === life)
      if (!instance) return false
      this.#kills += 1
      this.#apis = this.#apis.filter((other) => other !== instance)
      this.#workers = this.#workers.filter((other) => other !== instance)
      instance.kill()
      this.#closing.push(instance.close().catch(() => {}))
      this.#restart(api ? () => this.#openApi() : () => this.#openWorker())
      return true
    }
    return {
      enter: async (_: Passage) => (kill() || this.#faults.strikes('commit cut') ? 'fail' : 'pass'),
      leave: async (_: Passage) =>
        kill() || this.#faults.strikes('commit acknowledgement lost') ? 'lose' : 'pass',
    }
  }

  /** Nothing new happens or goes wrong; what has begun ends. */
  async #comeToRest(): Promise<void> {
    this.#faults.hasCeased = true
    this.#bank.silentUntilMs = 0
    this.#recoverWebhooks()
    for (let steps = 0; steps < stepsToRestMax; steps += 1) {
      const stepMs = Math.min(1.5 ** steps * second, 8 * hour)
      await this.#step(stepMs)
      if (this.#time.sleeping > 0 || this.#bank.isBusy || this.#chain.isBusy) continue
      const [open] = await this.#db.rows(sql<Record<string, number>>`
        select (select count(*)::int from payouts where status in ('SUBMITTED', 'PENDING')) payouts,
          (select count(*)::int from payment_returns where state in ('WAITING', 'SENT')) returns,
          (select count(*)::int from payments where amount_returning > 0) payments,
          (select count(*)::int from payout_batches
            where state in ('VALIDATING', 'PENDING', 'PROCESSING')) batches,
          (select count(*)::int from notices where state = 'WAITING') notices,
          (select count(*)::int from notice_hints where state = 'OPEN') hints,
          (select count(*)::int from deliveries where state = 'PENDING') deliveries,
          (select count(*)::int from coin_backings where not is_minted) unminted,
          ${this.#chain.listUnswept().length}::int unswept,
          ${this.#bank.payments.size + this.#chain.deposits.size}::int - (
            select count(*)::int from payments) unbooked`)
      this.#openRows = open!
      if (Object.values(open!).every((count) => count === 0)) return
    }
    this.#violations.report(`the world does not come to rest: ${JSON.stringify(this.#openRows)}`)
  }

  /** Test mode gives up after half an hour; after an outage, merchants ask for what they missed. */
  #recoverWebhooks(): void {
    for (const [url, failedSince] of this.#receiver.endOutages()) {
      const merchant = this.#oracle.merchants.find(({ webhookUrl }) => webhookUrl === url)!
      const path = `/v1/webhook-endpoints/${merchant.endpointId}/recover`
      const since = new Date(failedSince.getTime() - hour).toISOString()
      const name = `recover-${merchant.name}-${this.#done}`
      this.#time.run(async ({ sleep }) => {
        const caller = { draws: this.#draws, sleep }
        const { status, text } = await this.#client.post(merchant, path, {
          name,
          body: { since },
          caller,
        })
        if (status >= 300) this.#violations.report(`${merchant.name} recovered nothing: ${text}`)
      })
    }
  }

  async #compare(): Promise<void> {
    this.#oracle.compare(await readBooks(this.#db))
    for (const { claim, counterexamples } of await verifyLedger(this.#db))
      for (const counterexample of counterexamples)
        this.#violations.report(`not proven: ${claim}: ${show(counterexample)}`)
    const bank = this.#bank.connect({ isDead: false })
    const rails = new Rails({ test: { payoutBank: bank, collectBank: bank } })
    const opened = { solana: { test: undefined, live: undefined }, rails }
    const compared = await reconcile(
      { db: this.#db, rails: opened, confirmDelayMs: 0 },
      this.#time.clock.now(),
    )
    for (const { rail, differences } of compared)
      for (const difference of differences) this.#violations.report(`${rail}: ${show(difference)}`)
    if (this.#violations.found.length > 0) await this.#describeDeliveries()
  }

  /** Whether a webhook that is missing was never made, given up, or lost on its way. */
  async #describeDeliveries(): Promise<void> {
    const rows = await this.#db.rows(sql<Record<string, unknown>>`
      select environment_id, state, count(*)::int as count, min(created_at)::text as first,
        max(created_at)::text as last
      from deliveries where state <> 'DELIVERED' group by environment_id, state`)
    for (const row of rows) this.#violations.report(`deliveries: ${show(row)}`)
  }

  async #close(): Promise<void> {
    for (const instance of [...this.#apis, ...this.#workers]) {
      instance.kill()
      this.#closing.push(instance.close().catch(() => {}))
    }
    await Promise.all(this.#closing)
  }
}

function addOne(counts: Map<string, number>, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
}

function drawPolicies(draws: Draws): Policies {
  const draw = (actions: readonly ('return' | 'accept' | 'hold')[]) => ({
    underpayment: draws.pick(actions),
    overpayment: draws.pick(actions),
    latePayment: draws.pick(actions),
    duplicatePayment: draws.pick(actions),
  })
  return { bank: draw(['return', 'accept', 'hold']), crypto: draw(['accept', 'hold']) }
}

/** Some merchants have a second member approve large payouts. */
function drawApprovals(draws: Draws): Approvals | undefined {
  if (draws.chance(0.6)) return undefined
  return {
    appliesTo: 'all',
    NGN: { each: 4_000_000, perDay: null },
    USDC: { each: '40', perDay: null },
    USDT: null,
  }
}
