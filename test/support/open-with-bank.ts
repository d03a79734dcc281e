import { randomBytes } from 'node:crypto'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { expireAccounts } from '../../src/collections/accounts/end-accounts.js'
import { judgeDueNotices } from '../../src/collections/notices/judge-due-notices.js'
import { createJudgingLane } from '../../src/collections/notices/notice-lanes.js'
import { Rails } from '../../src/collections/rails.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { sendReturns } from '../../src/collections/returns/send-returns.js'
import { rescreenPayments } from '../../src/collections/screening/rescreen-payments.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { createSimulatedBank } from '../../src/simulation/sandbox-bank/simulated-bank.js'
import { manualClock } from './clock.js'
import { freshDatabase } from './database.js'
import {
  inTestMode,
  type ManillaOptions,
  type Merchant,
  openManilla,
  type Reply,
  whenDone,
} from './open-manilla.js'

/**
 * A service with the sandbox bank, for collections and payouts. Notices arrive over HTTP; the test
 * advances the clock and runs the workers.
 */
export async function openWithBank(
  options: Pick<
    ManillaOptions,
    | 'trustProxy'
    | 'streamLimits'
    | 'publicRateLimitPerSecond'
    | 'consoleUrl'
    | 'mailBounceSecret'
    | 'screening'
  > = {},
) {
  const db = await freshDatabase()
  const clock = manualClock()
  const logger = createLogger('silent')
  const noticeKey = randomBytes(32)
  const bank = createSandboxBank({ db, clock, logger, noticeKey })
  const service = await openManilla({
    ...options,
    beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
    rails: new Rails({ test: { payoutBank: bank, collectBank: bank } }),
    sandboxPayers: bank,
    simulatedRails: [createSimulatedBank(bank)],
    watched: {
      solana: { test: undefined, live: undefined },
      rails: inTestMode(bank),
      treasuries: [],
      floats: [{ bank, floatMin: 0n }],
    },
  })
  const noticesPath = `/rails/${bank.name}/notices/test`
  bank.sendNoticesTo(service.url + noticesPath)
  const banks = new Map([[bank.name, bank]])
  const lane = createJudgingLane({
    connect: () => connect(db.url, 'test payments'),
    clock,
    rails: banks,
    db,
    screening: options.screening,
  })
  whenDone(async () => {
    await bank.stop()
    await lane.close()
  })

  /** Runs every worker once. */
  async function work(): Promise<void> {
    const now = clock.now()
    await expireAccounts(db, now)
    await judgeDueNotices({ db, rail: bank.name, lane, logger }, now)
    await rescreenPayments(
      { db, clock, logger, mode: 'test', rails: banks, screening: options.screening },
      now,
    )
    await sendReturns({ db, rail: bank, clock, logger }, now)
    await pollPayouts({ db, rail: bank, clock, logger, follow: followReturns }, now)
    await followReversals({ db, rail: bank, logger, follow: followReturns }, now)
  }

  /** Advances the clock and runs the workers. */
  async function pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      clock.advance(1_000)
      await work()
    }
  }

  return { ...service, bank, noticeKey, noticesPath, lane, work, pass }
}

export type ServiceWithBank = Awaited<ReturnType<typeof openWithBank>>

/** A merchant's HTTP calls in test mode. */
export function payersOf({ ask }: ServiceWithBank, { test }: Merchant) {
  const key = test.secret
  const post = (path: string, body: object, headers = {}) =>
    ask('POST', path, { key, body, headers })
  const get = (path: string) => ask('GET', path, { key })
  const patch = (path: string, body: object) => ask('PATCH', path, { key, body })
  return {
    post,
    get,
    patch,
    openVirtual: (change: object = {}) =>
      post('/v1/collections/virtual-accounts', {
        merchantReference: 'order-1',
        amount: 500_000,
        ...change,
      }),
    openDedicated: (externalReference: string, change: object = {}) =>
      post('/v1/collections/dedicated-accounts', { externalReference, ...change }),
    payIn: (accountNumber: string, change: object = {}) =>
      post('/v1/test/bank-transfers', { accountNumber, amount: 500_000, ...change }),
    verify: async (reference: string) =>
      (await get(`/v1/collections/virtual-accounts/${reference}`)).json.data,
    payment: async (reference: string) =>
      (await get(`/v1/collections/payments/${reference}`)).json.data,
    eventsOf: async (reference: string): Promise<string[]> => {
      const { json } = await get(`/v1/events?resource=${reference}&limit=100`)
      // Sorted by sequence: events of one moment are listed in any order.
      const items: { type: string; sequence: number }[] = json.data.items
      return items.toSorted((one, other) => one.sequence - other.sequence).map(({ type }) => type)
    },
    naira: async (): Promise<{ available: number; held: number; pending: number }> => {
      const { json }: Reply = await get('/v1/balances')
      return json.data.items.find((item: { asset: string }) => item.asset === 'NGN')
    },
  }
}
