import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { verifyWebhook } from '../../sdk/src/verify-webhook.js'
import { minute, second } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { resumeMerchant, suspendMerchant } from '../../src/merchants/suspension.js'
import { expirePending } from '../../src/payouts/approvals/expire-pending.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { CallbackAsker } from '../../src/payouts/controls/ask-callbacks.js'
import { CallbackSlots } from '../../src/payouts/controls/callback-slots.js'
import { callbackLimits } from '../../src/payouts/limits.js'
import { pauseRail, resumeRail } from '../../src/payouts/requests/paused-rails.js'
import { closeSettled } from '../../src/payouts/settlements/close-subaccounts.js'
import { sql } from '../../src/postgres/sql.js'
import { createSender } from '../../src/webhooks/deliveries/send.js'
import { openBatchWorker } from '../support/batch-worker.js'
import { askCallbacks, openCallbackWorker } from '../support/callback-worker.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson, type Person } from '../support/people.js'
import { openReceiver, type Received } from '../support/receiver.js'
import { openList } from '../support/screening.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, settle, ask, merchant } = service
let [ada, bola, chidi] = await signIn()
const key = merchant.test.secret
const toBank = { bankCode: '058', accountNumber: '0123456789' }
/** New sessions: the clock is moved by more than sessions last. */
function signIn(): Promise<[Person, Person, Person]> {
  return Promise.all([
    addPerson(service, { role: 'owner', name: 'Ada Obi' }),
    addPerson(service, { role: 'finance', name: 'Bola Ade' }),
    addPerson(service, { role: 'admin', name: 'Chidi Eze' }),
  ])
}

const headers = () => ({ 'idempotency-key': randomUUID() })
const post = (path: string, body: object = {}) =>
  ask('POST', path, { key, body, headers: headers() })
const read = async (path: string) => (await ask('GET', path, { key })).json.data

let answer: (
  received: Received,
) => { status?: number; body?: unknown; headers?: object } | 'hang' | 'half' | 'close'
/** Requests that are open as long as a test wants. */
const held: ServerResponse[] = []
const receiver = await openReceiver((response, received) => {
  const given = answer(received)
  if (given === 'hang') return void held.push(response)
  if (given === 'close') return void response.destroy()
  if (given === 'half') return void response.write('{"decision": ')
  response.writeHead(given.status ?? 200, { ...given.headers })
  response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body))
})

await service.chain.advance(40)
await post('/v1/test/balances/fund', { asset: 'NGN', amount: 500_000_000 })
await post('/v1/test/balances/fund', { asset: 'USDC', amount: '1000' })
const endpoint = (
  await post('/v1/webhook-endpoints', { url: `${receiver.url}/events`, events: ['payment.*'] })
).json.data

// The merchant's own account, chosen before there is a rule.
const ownAccount = (
  await ada.ask('POST', '/v1/bank-accounts', { body: { ...toBank, isPrimary: true } })
).json.data

const dependencies = openCallbackWorker(service)
const { logger } = dependencies
/** For callbacks that are silent. */
const impatient = openCallbackWorker(service, 300)
let worker = dependencies
beforeEach(() => {
  worker = dependencies
})
const askAll = () => askCallbacks(worker, clock.now())

const callback = { url: `${receiver.url}/approve`, signedBy: endpoint.id, retryMinutes: 10 }
const none = { callback: null, recipients: null, velocity: null, duplicates: null }
const noLimits = { appliesTo: 'all', NGN: null, USDC: null, USDT: null }

/** A rule that is looser than the one before is confirmed by another member. */
async function setRule(rule: object) {
  const changed = await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })
  expect(changed.status, changed.text).toBe(200)
  const { change } = changed.json.data
  if (!change) return
  const confirmed = await chidi.ask('POST', `/v1/settings/changes/${change.id}/confirm`)
  expect(confirmed.status, confirmed.text).toBe(200)
}

const withCallback = { ...noLimits, controls: { ...none, callback } }

beforeEach(async () => {
  receiver.received.length = 0
  answer = () => ({ body: { decision: 'approve' } })
  ;[ada, bola, chidi] = await signIn()
  await setRule(withCallback)
  // A process keeps a key, and whether a rule applies to it, for a second.
  clock.advance(2 * second)
})

type Shown = {
  reference: string
  orderHash: string
  status: string
  failureReason: string | null
  approval: { needed: number; reasons: string[]; callback: Record<string, unknown> | null }
}

async function payOut(more: object = {}): Promise<Shown> {
  const reply = await post('/v1/disbursements/bank-transfer', {
    amount: 2_000_000,
    ...toBank,
    ...more,
  })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data
}

const verify = ({ reference }: Shown): Promise<Shown> =>
  read(`/v1/disbursements/bank-transfer/${reference}`)

async function available(): Promise<number> {
  const { items } = await read('/v1/balances')
  return items.find(({ asset }: { asset: string }) => asset === 'NGN').available
}

const approve = (person: Person, { reference, orderHash }: Shown, why: { reason?: string } = {}) =>
  person.ask('POST', `/v1/disbursements/${reference}/approve`, { body: { orderHash, ...why } })

const asked = () => receiver.received.filter(({ path }) => path === '/approve')

/** Asks until the time of the callback is over. */
async function exhaust(): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    await askAll()
    clock.advance(minute)
  }
  await askAll()
}

/** Members prove a factor again, as before every decision. */
const proveAgain = () => db.rows(sql`update user_sessions set proven_at = ${clock.now()}`)

describe('a callback', () => {
  test('approves a payout, which is then sent', async () => {
    const before = await available()
    const payout = await payOut()
    expect(payout).toMatchObject({
      status: 'PENDING',
      approval: { needed: 0, reasons: [], callback: { status: 'OPEN', attempts: 0 } },
    })
    await askAll()
    const sent = await verify(payout)
    expect(sent).toMatchObject({
      status: 'SUBMITTED',
      approval: { needed: 0, callback: { status: 'APPROVED', attempts: 1 } },
    })
    const [request] = asked()
    expect(JSON.parse(request!.body)).toMatchObject({
      reference: payout.reference,
      amount: 2_000_000,
      orderHash: payout.orderHash,
      status: 'PENDING',
    })
    const verified = await verifyWebhook(request!.body, request!.headers, endpoint.secret, {
      now: clock.now(),
    })
    expect(verified).toMatchObject({ reference: payout.reference })
    await settle()
    expect(await verify(payout)).toMatchObject({ status: 'COMPLETED' })
    expect(await available()).toBeLessThan(before - 2_000_000)
    await askAll()
    expect(asked()).toHaveLength(1)
  })

  test('rejects a payout, whose money is available again', async () => {
    answer = () => ({ body: { decision: 'reject', reason: ' No\u0000 order\n 77 ' } })
    const before = await available()
    const payout = await payOut()
    expect(await available()).toBeLessThan(before)
    await askAll()
    expect(await verify(payout)).toMatchObject({
      status: 'FAILED',
      failureReason: 'callback_rejected',
      approval: { callback: { status: 'REJECTED', reason: 'No order 77' } },
    })
    expect(await available()).toBe(before)
    const { items } = await read(`/v1/events?resource=${payout.reference}`)
    expect(items.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      'bank_transfer.failed',
      'bank_transfer.pending',
    ])
  })

  // [what, what the callback does, what the payout says]
  test.each<[string, typeof answer, string]>([
    ['silence', () => 'hang', 'no complete response within 0.3 seconds'],
    ['a slow answer', () => 'half', 'no complete response within 0.3 seconds'],
    ['a closed connection', () => 'close', 'the connection was closed before a response'],
    ['a redirect', () => ({ status: 302, headers: { location: '/yes' } }), 'answered with 302'],
    ['an error', () => ({ status: 500, body: { decision: 'approve' } }), 'answered with 500'],
    ['no content', () => ({ status: 204 }), 'answered with 204'],
    ['a text', () => ({ body: 'approve' }), 'the answer is not a JSON object'],
    [
      'too long an answer',
      () => ({ body: { decision: 'reject', reason: '₦'.repeat(1_500) } }),
      'the answer is longer than 4000 bytes',
    ],
    ['a list', () => ({ body: [{ decision: 'approve' }] }), 'the answer is not a JSON object'],
    [
      'another decision',
      () => ({ body: { decision: 'APPROVE' } }),
      'the `decision` is neither `approve` nor `reject`',
    ],
    [
      'the hash of another order',
      () => ({ body: { decision: 'approve', orderHash: '0'.repeat(64) } }),
      'the answer is of another transfer: its `orderHash` differs',
    ],
  ])('%s decides nothing: the payout waits for members', async (_what, given, problem) => {
    answer = given
    if (problem.startsWith('no complete response')) worker = impatient
    const payout = await payOut()
    await askAll()
    expect(await verify(payout)).toMatchObject({
      status: 'PENDING',
      approval: { needed: 0, callback: { status: 'OPEN', attempts: 1, problem } },
    })
    expect((await approve(bola, payout)).json.message).toContain('waits for your callback')
    await exhaust()
    ;[ada, bola, chidi] = await signIn()
    expect(await verify(payout)).toMatchObject({
      status: 'PENDING',
      approval: { needed: 2, reasons: ['callback'], callback: { status: 'SILENT' } },
    })
    // An answer that comes too late decides nothing any more.
    answer = () => ({ body: { decision: 'approve' } })
    const before = asked().length
    await askAll()
    expect(asked()).toHaveLength(before)
    expect((await approve(bola, payout)).json.message).toContain('another member')
    expect((await approve(chidi, payout)).json.message).toBe('Transfer approved')
    expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
  })

  test('an answer with the hash of the order decides', async () => {
    answer = ({ body }) => ({
      body: { decision: 'approve', orderHash: JSON.parse(body).orderHash },
    })
    const payout = await payOut()
    await askAll()
    expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
  })

  test('that stays silent makes members decide anew, those who approved before, too', async () => {
    answer = () => ({ status: 500 })
    await setRule({ ...withCallback, NGN: { each: 1_000_000, perDay: null } })
    clock.advance(2 * second)
    const payout = await payOut()
    const requests = () =>
      db.rows(sql`
        select from mails where kind = 'approval_request'
          and cause_id not in (select id from payouts)`)
    const before = (await requests()).length
    await approve(bola, payout)
    clock.advance(second)
    await approve(chidi, payout)
    const again = await approve(bola, payout)
    expect(again.json.message).toContain('Your callback has not answered yet.')
    expect(await verify(payout)).toMatchObject({
      approval: { needed: 2, givenBy: [{ name: 'Bola Ade' }, { name: 'Chidi Eze' }] },
    })
    await exhaust()
    await proveAgain()
    // What they approved was not that the callback is silent.
    expect(await verify(payout)).toMatchObject({
      status: 'PENDING',
      approval: { reasons: ['amount', 'callback'], givenBy: [], callback: { status: 'SILENT' } },
    })
    expect((await requests()).length).toBeGreaterThan(before)
    expect((await approve(bola, payout)).json.message).toContain('another member')
    // Once in this round.
    expect((await approve(bola, payout)).json.message).toContain('You have approved')
    expect(await verify(payout)).toMatchObject({ approval: { givenBy: [{ name: 'Bola Ade' }] } })
    expect((await approve(chidi, payout)).json.message).toBe('Transfer approved')
    expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
    const rounds = await db.rows(sql`
      select a.round, count(*)::int as count from payout_approvals a
      join payouts p on p.environment_id = a.environment_id and p.id = a.payout_id
      where encode(p.order_hash, 'hex') = ${payout.orderHash} group by a.round order by a.round`)
    expect(rounds).toEqual([
      { round: 1, count: 2 },
      { round: 2, count: 2 },
    ])
    await settle()
    await expectAllProofs(db)
  })

  test('a round of approvals counts alone, also for the database', async () => {
    answer = () => ({ status: 500 })
    await setRule({ ...withCallback, NGN: { each: 1_000_000, perDay: null } })
    clock.advance(2 * second)
    const payout = await payOut()
    await approve(bola, payout)
    await approve(chidi, payout)
    await exhaust()
    const ofPayout = sql`encode(order_hash, 'hex') = ${payout.orderHash}`
    await expect(
      db.rows(sql`update payouts set status = 'SUBMITTED', submitted_at = now() where ${ofPayout}`),
    ).rejects.toThrow('pending_payout_leaves_with_approval')
    // A round only begins with a reason.
    const [check] = await db.rows(sql<{ round: number }>`
      update payout_checks set round = 7
      where payout_id = (select id from payouts where ${ofPayout}) returning round`)
    expect(check).toEqual({ round: 2 })
    ;[ada, bola, chidi] = await signIn()
    const reply = await bola.ask('POST', `/v1/disbursements/${payout.reference}/reject`, {
      body: { reason: 'Enough' },
    })
    expect(reply.status, reply.text).toBe(200)
    await expectAllProofs(db)
  })

  test('that approves a recipient who is on a sanctions list by now lets members decide', async () => {
    const list = await openList(clock, [])
    worker = openCallbackWorker(service, undefined, list.screening)
    const sent = await payOut()
    await askAll()
    expect(await verify(sent)).toMatchObject({ status: 'SUBMITTED' })
    const payout = await payOut()
    const { accountName } = (await read(`/v1/disbursements/bank-transfer/${sent.reference}`)) as {
      accountName: string
    }
    await list.replace([{ id: 'S-9', name: accountName }])
    await askAll()
    expect(await verify(payout)).toMatchObject({
      status: 'PENDING',
      approval: {
        needed: 2,
        reasons: ['screening'],
        screening: { verdict: 'hit', entry: 'S-9' },
        callback: { status: 'APPROVED' },
      },
    })
    // It is not asked, or sent, again.
    clock.advance(minute)
    expect(await askAll()).toBe(0)
    const lines = await db.rows(sql`
      select from audit_lines where action = 'payout_screening.hit'
        and details ->> 'reference' = ${payout.reference}`)
    expect(lines).toHaveLength(1)
    const why = { reason: 'Passport seen' }
    await approve(bola, payout, why)
    expect((await approve(chidi, payout, why)).json.data.status).toBe('SUBMITTED')
    await settle()
    await expectAllProofs(db)
  })

  test('a silent one that no member replaces ends with its time', async () => {
    answer = () => ({ status: 500 })
    const before = await available()
    const payout = await payOut()
    await exhaust()
    clock.advance(8 * 24 * 60 * minute)
    await expirePending({ db, logger, follow: followReturns }, clock.now())
    expect(await verify(payout)).toMatchObject({
      status: 'FAILED',
      failureReason: 'approval_expired',
    })
    expect(await available()).toBe(before)
  })

  test('that is still open does not outlive a payout that members reject, or that expires', async () => {
    answer = () => ({ status: 500 })
    await setRule({ ...withCallback, NGN: { each: 1_000_000, perDay: null } })
    clock.advance(2 * second)
    const [rejected, expired] = [await payOut(), await payOut()]
    const reply = await bola.ask('POST', `/v1/disbursements/${rejected.reference}/reject`, {
      body: { reason: 'Wrong account' },
    })
    expect(reply.status, reply.text).toBe(200)
    await askAll()
    expect(asked()).toHaveLength(1)
    clock.advance(8 * 24 * 60 * minute)
    await expirePending({ db, logger, follow: followReturns }, clock.now())
    // No check is due any more: none fails in every run.
    expect(await askAll()).toBe(0)
    expect(asked()).toHaveLength(1)
    expect(await verify(rejected)).toMatchObject({ failureReason: 'approval_rejected' })
    expect(await verify(expired)).toMatchObject({ failureReason: 'approval_expired' })
  })

  test('is asked again later, with the same id', async () => {
    const answers = [{ status: 503 }, { status: 503 }, { body: { decision: 'approve' } }]
    answer = () => answers.shift()!
    const payout = await payOut()
    for (let round = 0; round < 3; round += 1) {
      await askAll()
      // Not due yet.
      await askAll()
      clock.advance(30 * second)
    }
    expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
    const ids = asked().map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual([ids[0], ids[0], ids[0]])
    expect(new Set(asked().map(({ headers }) => headers['webhook-signature'])).size).toBe(3)
  })

  test('and two workers at once send a payout once', async () => {
    const payout = await payOut()
    await Promise.all([askAll(), askAll(), askAll()])
    clock.advance(minute)
    await Promise.all([askAll(), askAll()])
    expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
    await settle()
    await settle()
    const { items } = await read(`/v1/events?resource=${payout.reference}`)
    expect(items.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      'bank_transfer.completed',
      'bank_transfer.pending',
      'bank_transfer.submitted',
    ])
  })

  test.each([
    ['rejects', 'FAILED'],
    ['approves', 'SUBMITTED'],
  ])(
    'that %s when it is asked again decides; the first request, answered later, does not',
    async (second, status) => {
      const [early, late] = second === 'rejects' ? ['approve', 'reject'] : ['reject', 'approve']
      answer = () => 'hang'
      held.length = 0
      const payout = await payOut()
      const asker = new CallbackAsker()
      expect(await asker.claim(worker, clock.now())).toBe(1)
      await until(() => held.length === 1)
      // As if its worker had died: the check is due again, for another one.
      await db.rows(sql`
      update payout_checks set due_at = ${clock.now()} where callback = 'OPEN' and due_at is not null`)
      answer = () => ({ body: { decision: late } })
      expect(await askAll()).toBe(1)
      expect(await verify(payout)).toMatchObject({ status })
      held[0]!.end(JSON.stringify({ decision: early }))
      await asker.finish()
      clock.advance(minute)
      expect(await askAll()).toBe(0)
      expect(await verify(payout)).toMatchObject({ status })
      const ids = asked().map(({ headers }) => headers['webhook-id'])
      expect(ids).toEqual([ids[0], ids[0]])
      await settle()
      await expectAllProofs(db)
    },
  )

  test('that approves does not send what cannot be sent now; it is tried again', async () => {
    const { reference: seller } = (
      await post('/v1/subaccounts', { name: 'Ada Fabrics', bankAccount: toBank })
    ).json.data
    const ofSeller = `/v1/subaccounts/${seller}`
    await post(`${ofSeller}/transfers`, { from: 'merchant', asset: 'NGN', amount: 5_000_000 })
    const { bank } = service
    const { inspect } = bank
    const change = { headers: headers(), key }
    const obstacles: [problem: string, begin: () => unknown, end: () => unknown, more?: object][] =
      [
        [
          'The account now belongs to ANOTHER HOLDER',
          () => {
            bank.inspect = async (targets, purpose) =>
              (await inspect(targets, purpose)).map((one) =>
                'destination' in one
                  ? { ...one, destination: { ...one.destination, accountName: 'ANOTHER HOLDER' } }
                  : one,
              ) as Awaited<ReturnType<typeof inspect>>
          },
          () => {
            bank.inspect = inspect
          },
        ],
        [
          'paused',
          () =>
            db.transaction((tx) =>
              pauseRail(tx, clock.now(), { rail: bank.name, reason: 'Slow', pausedBy: 'ada' }),
            ),
          () => db.transaction((tx) => resumeRail(tx, bank.name)),
        ],
        [
          'paused',
          () => ask('PATCH', ofSeller, { ...change, body: { status: 'PAUSED' } }),
          () => ask('PATCH', ofSeller, { ...change, body: { status: 'ACTIVE' } }),
          { from: seller },
        ],
      ]
    for (const [problem, begin, end, more] of obstacles) {
      const payout = await payOut(more)
      await begin()
      await askAll()
      expect(await verify(payout)).toMatchObject({
        status: 'PENDING',
        approval: { callback: { status: 'APPROVED', problem: expect.stringContaining(problem) } },
      })
      const before = asked().length
      clock.advance(minute)
      await askAll()
      expect(await verify(payout)).toMatchObject({ status: 'PENDING' })
      await end()
      clock.advance(minute)
      await askAll()
      expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
      // It is not asked again.
      expect(asked()).toHaveLength(before)
    }
    await settle()
    await expectAllProofs(db)
  })

  test('must agree with the members whose approval a limit requires', async () => {
    const limited = { ...withCallback, NGN: { each: 1_000_000, perDay: null } }
    await setRule(limited)
    clock.advance(2 * second)
    // Members first.
    const one = await payOut()
    expect(one.approval).toMatchObject({ needed: 2, reasons: ['amount'] })
    await approve(bola, one)
    expect((await approve(chidi, one)).json.message).toBe(
      'Approved; your callback has not answered yet',
    )
    expect(await verify(one)).toMatchObject({ status: 'PENDING' })
    await askAll()
    expect(await verify(one)).toMatchObject({ status: 'SUBMITTED' })
    // The callback first.
    const other = await payOut()
    await askAll()
    expect(await verify(other)).toMatchObject({
      status: 'PENDING',
      approval: { callback: { status: 'APPROVED' } },
    })
    await approve(bola, other)
    await approve(chidi, other)
    expect(await verify(other)).toMatchObject({ status: 'SUBMITTED' })
    // One that members approve, and the callback rejects.
    answer = () => ({ body: { decision: 'reject' } })
    const third = await payOut()
    await approve(bola, third)
    await approve(chidi, third)
    await askAll()
    expect(await verify(third)).toMatchObject({ failureReason: 'callback_rejected' })
  })

  test('is asked about each payout of a batch', async () => {
    const worker = openBatchWorker(service)
    answer = ({ body }) => ({
      body: { decision: JSON.parse(body).amount === 300_000 ? 'reject' : 'approve' },
    })
    const items = [200_000, 300_000].map((amount) => ({ amount, ...toBank }))
    const made = await post('/v1/disbursements/batches', { kind: 'bank_transfer', items })
    expect(made.status, made.text).toBe(201)
    const { reference } = made.json.data
    const path = `/v1/disbursements/batches/${reference}`
    const work = async () => {
      clock.advance(second)
      while ((await runBatches(worker, 'test')) > 0);
    }
    await work()
    const submitted = await post(`${path}/submit`, {})
    expect(submitted.status, submitted.text).toBe(200)
    await work()
    expect(asked()).toHaveLength(0)
    await askAll()
    expect(asked()).toHaveLength(2)
    await settle()
    clock.advance(10 * minute)
    await work()
    const batch = await read(path)
    expect(batch).toMatchObject({ status: 'COMPLETED' })
    const shown = (await read(`${path}/items`)).items
    expect(shown.map(({ status }: { status: string }) => status).toSorted()).toEqual([
      'COMPLETED',
      'FAILED',
    ])
  })

  test('is asked about a settlement', async () => {
    // Confirmed by another member, as the rule requires.
    await chidi.ask('POST', `/v1/bank-accounts/${ownAccount.reference}/confirm`)
    const reply = await post('/v1/settlements', { amount: 5_000_000 })
    expect(reply.status, reply.text).toBe(201)
    expect(reply.json).toMatchObject({
      message: 'Settlement waits for your callback',
      data: { status: 'PENDING' },
    })
    await askAll()
    await settle()
    expect(await read(`/v1/settlements/${reply.json.data.reference}`)).toMatchObject({
      status: 'PAID',
    })
    const { items } = await read(`/v1/events?resource=${reply.json.data.reference}`)
    expect(items.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      'settlement.created',
      'settlement.paid',
      'settlement.pending',
    ])
  })

  test('decides about the last payout of a sub-account that is closed', async () => {
    const seller = { name: 'Ada Fabrics', bankAccount: toBank }
    const { reference } = (await post('/v1/subaccounts', seller)).json.data
    const path = `/v1/subaccounts/${reference}`
    await post(`${path}/transfers`, { from: 'merchant', asset: 'NGN', amount: 1_000_000 })
    const sentToBank = () => db.rows(sql`select reference from sandbox_transfers order by 1`)
    const sentBefore = await sentToBank()
    const closing = await post(`${path}/close`, { balance: 'pay_out' })
    expect(closing.json.data, closing.text).toMatchObject({ status: 'PAUSED', closing: true })
    const settlement = async () =>
      (await read(`/v1/settlements?subaccount=${reference}`)).items[0].status
    expect(await settlement()).toBe('PENDING')
    await settle()
    expect(await sentToBank()).toEqual(sentBefore)
    await askAll()
    expect(await settlement()).toBe('SUBMITTED')
    await settle()
    await closeSettled(db, clock.now())
    expect(await read(path)).toMatchObject({ status: 'CLOSED', closing: false })
  })

  test('is not switched off by deleting, disabling or rotating the endpoint that signs it', async () => {
    const path = `/v1/webhook-endpoints/${endpoint.id}`
    const deletions = [await ask('DELETE', path, { key }), await ada.ask('DELETE', path)]
    for (const { status, json, text } of deletions) {
      expect([status, json.reason], text).toEqual([409, 'invalid_state'])
      expect(json.nextStep).toContain('choose another endpoint for the callback')
    }
    const url = `${receiver.url}/elsewhere`
    expect((await ask('PATCH', path, { key, body: { enabled: false, url } })).status).toBe(200)
    expect((await post(`${path}/rotate-secret`)).status).toBe(200)
    const payout = await payOut()
    await askAll()
    const [received] = asked()
    const verified = await verifyWebhook(received!.body, received!.headers, endpoint.secret, {
      now: clock.now(),
    })
    expect(verified).toMatchObject({ reference: payout.reference })
    expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
    const original = { enabled: true, url: `${receiver.url}/events` }
    expect((await ask('PATCH', path, { key, body: original })).status).toBe(200)
  })

  test('is not confirmed with an endpoint that was deleted meanwhile', async () => {
    const other = (await post('/v1/webhook-endpoints', { url: `${receiver.url}/events` })).json.data
    const body = {
      ...noLimits,
      controls: { ...none, callback: { ...callback, signedBy: other.id } },
    }
    const proposed = await ada.ask('PATCH', '/v1/settings/approvals', { body })
    const path = `/v1/settings/changes/${proposed.json.data.change.id}/confirm`
    expect((await ask('DELETE', `/v1/webhook-endpoints/${other.id}`, { key })).status).toBe(200)
    const refused = await chidi.ask('POST', path)
    expect([refused.status, refused.json.details], refused.text).toMatchObject([
      400,
      [{ field: 'controls.callback.signedBy' }],
    ])
  })

  test('is changed, and removed, by two members only', async () => {
    const path = '/v1/settings/approvals'
    const changed = await ada.ask('PATCH', path, {
      body: { ...noLimits, controls: { ...none, callback: { ...callback, retryMinutes: 20 } } },
    })
    expect(changed.json.data).toMatchObject({
      approvals: { controls: { callback: { retryMinutes: 10 } } },
      change: { approvals: { controls: { callback: { retryMinutes: 20 } } } },
    })
    // A rule without the field leaves controls as they are.
    const same = await ada.ask('PATCH', path, { body: noLimits })
    expect(same.json.data).toMatchObject({
      approvals: { controls: { callback: { retryMinutes: 10 } } },
      change: null,
    })
    await expect(
      db.transaction(async (tx) => {
        await tx.rows({
          text: `update environment_settings set document =
            jsonb_set(document::jsonb, '{approvals,controls,callback}', 'null')::json
            where environment_id = $1`,
          values: [merchant.environments.test.id],
        })
      }),
    ).rejects.toThrow('looser_rule_needs_a_second_person')
  })

  test.each([
    ['a private address', { url: 'http://10.0.0.1/approve' }],
    ['another scheme', { url: 'ftp://shop.example/approve' }],
    ['no URL', { url: 'approve' }],
    ['an unknown endpoint', { signedBy: 'we_00000000000000000000000000' }],
    ['a time of a week', { retryMinutes: 10_080 }],
  ])('with %s is refused', async (_what, part) => {
    const body = { ...noLimits, controls: { ...none, callback: { ...callback, ...part } } }
    const reply = await ada.ask('PATCH', '/v1/settings/approvals', { body })
    expect(reply.status, reply.text).toBe(400)
  })

  test('whose name resolves to a private address is not called', async () => {
    const sender = createSender({
      clock,
      allowsLoopback: false,
      lookup: ((_host: string, _options: object, done: (...given: unknown[]) => void) =>
        done(null, '10.0.0.1', 4)) as never,
    })
    const payout = await payOut()
    await askCallbacks({ ...dependencies, sender }, clock.now())
    expect(await verify(payout)).toMatchObject({
      status: 'PENDING',
      approval: { callback: { problem: 'the address is not public' } },
    })
    expect(asked()).toHaveLength(0)
  })

  test('sends nothing for a suspended merchant, and is not asked', async () => {
    const { merchantId } = merchant.environments.test
    const suspend = () => db.transaction((tx) => suspendMerchant(tx, clock.now(), merchantId))
    const resume = () => db.transaction((tx) => resumeMerchant(tx, merchantId))
    // Decides what other tests have left.
    clock.advance(minute)
    await askAll()
    receiver.received.length = 0
    const payout = await payOut()
    await suspend()
    // Longer than the callback has to answer.
    await exhaust()
    expect(asked()).toHaveLength(0)
    const problem = 'The merchant is suspended, so nothing is paid out.'
    expect(await verify(payout)).toMatchObject({
      status: 'PENDING',
      approval: { callback: { status: 'OPEN', attempts: 0, problem } },
    })
    await resume()
    clock.advance(minute)
    // It is suspended again while the URL answers.
    const { sender } = dependencies
    const send: typeof sender.send = async (message) => {
      const result = await sender.send(message)
      await suspend()
      return result
    }
    await askCallbacks({ ...dependencies, sender: { ...sender, send } }, clock.now())
    expect(await verify(payout)).toMatchObject({
      status: 'PENDING',
      approval: { callback: { status: 'APPROVED', problem } },
    })
    await resume()
    clock.advance(minute)
    await askAll()
    expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
    expect(asked()).toHaveLength(1)
  })

  test('cannot be bypassed in the database', async () => {
    const payout = await payOut()
    await expect(
      db.rows(sql`update payout_checks set due_at = null where due_at is not null`),
    ).rejects.toThrow('open_callback_is_asked')
    await expect(
      db.rows({
        text: `update payouts set status = 'SUBMITTED', submitted_at = now()
          where status = 'PENDING' and environment_id = $1`,
        values: [merchant.environments.test.id],
      }),
    ).rejects.toThrow('pending_payout_leaves_with_approval')
    await askAll()
    await expect(
      db.rows(sql`update payout_checks set callback = 'OPEN', answered_at = null`),
    ).rejects.toThrow()
    expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
  })

  test('and all books are right afterwards', async () => {
    await settle()
    await expectAllProofs(db)
  })
})

describe('the callbacks of several merchants', () => {
  async function openMerchant() {
    const { reference, test: keys } = await service.addMerchant('Ada')
    const path = `/${reference}`
    const send = async (where: string, body: object) => {
      const reply = await ask('POST', where, { key: keys.secret, body, headers: headers() })
      expect(reply.status, reply.text).toBe(201)
      return reply.json.data
    }
    const [owner] = await Promise.all(
      ['Ngozi', 'Tunde'].map((name) =>
        addPerson(service, { role: 'owner', merchant: reference, name }),
      ),
    )
    const signer = { url: `${receiver.url}/events`, events: ['payment.*'] }
    const { id: signedBy } = await send('/v1/webhook-endpoints', signer)
    await send('/v1/test/balances/fund', { asset: 'NGN', amount: 500_000_000 })
    const own = { ...callback, url: `${receiver.url}${path}`, signedBy }
    const body = { ...noLimits, controls: { ...none, callback: own } }
    expect((await owner!.ask('PATCH', '/v1/settings/approvals', { body })).status).toBe(200)
    clock.advance(2 * second)
    return {
      path,
      payOut: (amount: number): Promise<Shown> =>
        send('/v1/disbursements/bank-transfer', { ...toBank, amount }),
      read: async ({ reference: of }: Shown): Promise<Shown> =>
        (await ask('GET', `/v1/disbursements/bank-transfer/${of}`, { key: keys.secret })).json.data,
    }
  }

  test('do not wait for one that is silent, and each payout is asked about', async () => {
    const [silent, quick] = [await openMerchant(), await openMerchant()]
    const { slotsOfUnprovenMax, merchantShareMax } = callbackLimits
    const share = slotsOfUnprovenMax * merchantShareMax
    const waiting: Shown[] = []
    while (waiting.length < share + 10) waiting.push(await silent.payOut(200_000 + waiting.length))
    const approval = { body: { decision: 'approve' } }
    answer = ({ path }) => (path === quick.path ? approval : 'hang')
    held.length = 0
    const asker = new CallbackAsker()
    const claim = () => asker.claim(worker, clock.now())
    expect(await claim()).toBe(share)
    // What is left of the slots is for others.
    expect(await claim()).toBe(0)
    await until(() => held.length === share)
    for (let number = 0; number < 3; number += 1) {
      const payout = await quick.payOut(200_000 + number)
      expect(await claim()).toBe(1)
      await until(async () => (await quick.read(payout)).status === 'SUBMITTED')
    }
    // All of the silent one are still open, and it is asked about no other payout.
    const answered = waiting.map((one) => silent.read(one))
    for (const { approval: shown } of await Promise.all(answered))
      expect(shown.callback).toMatchObject({ status: 'OPEN', problem: null })
    expect(asked().filter(({ path }) => path === silent.path)).toHaveLength(0)
    expect(receiver.received.filter(({ path }) => path === silent.path)).toHaveLength(share)
    answer = () => approval
    for (const response of held.splice(0)) response.end(JSON.stringify(approval.body))
    await asker.finish()
    while ((await claim()) > 0) await asker.finish()
    for (const one of waiting) expect(await silent.read(one)).toMatchObject({ status: 'SUBMITTED' })
    await expectAllProofs(db)
  })

  test('share what is free: however many are silent, those that decide get slots', () => {
    const slots = new CallbackSlots()
    const environments = Array.from({ length: 500 }, (_, index) => (index + 1) as EnvironmentId)
    const take = (environment: EnvironmentId, given: ReturnType<typeof slots.ofOthers>) => {
      const { turns, limits, otherwise } = given.shares
      const at = turns.indexOf(environment)
      const count = Math.max(0, Math.min(at < 0 ? otherwise : limits[at]!, given.limit))
      return Array.from({ length: count }, () => slots.take(environment))
    }
    const [quick, ...silent] = environments as [EnvironmentId, ...EnvironmentId[]]
    const { slotsMax, slotsOfUnprovenMax, merchantShareMax } = callbackLimits
    const [first, ...others] = take(quick, slots.ofOthers())
    first!(true)
    for (const end of others) end(undefined)
    const open = silent.map((environment) => take(environment, slots.ofOthers()))
    const counts = open.map(({ length }) => length)
    // Each takes a part of what the ones before have left.
    expect(counts[0]).toBe(slotsOfUnprovenMax * merchantShareMax)
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(30)
    expect(counts.reduce((sum, count) => sum + count)).toBe(slotsOfUnprovenMax)
    expect(take(silent[0]!, slots.ofOthers())).toEqual([])
    const ofQuick = take(quick, slots.ofProven())
    expect(ofQuick.length).toBe((slotsMax - slotsOfUnprovenMax) * merchantShareMax)
    // One that is silent once is like the others until it decides again.
    for (const end of ofQuick) end(false)
    expect(take(quick, slots.ofProven())).toEqual([])
    for (const end of open.flat()) end(false)
    expect(take(quick, slots.ofOthers()).length).toBe(slotsOfUnprovenMax * merchantShareMax)
  })
})

async function receive(merchantReference: string) {
  const order = { amount: 500_000, merchantReference }
  const { accountNumber } = (await post('/v1/collections/virtual-accounts', order)).json.data
  const { json } = await post('/v1/test/bank-transfers', { accountNumber, amount: 500_000 })
  return json.data
}

test('a refund waits for the callback, unless it goes to the sender', async () => {
  const [paid, other] = [await receive('order-elsewhere'), await receive('order-to-sender')]
  const refund = (reference: string, body: object = {}) =>
    post(`/v1/collections/payments/${reference}/refund`, body)
  const toSender = await refund(other.reference)
  expect(toSender.json.message, toSender.text).toBe('Refund submitted')
  const elsewhere = await refund(paid.reference, { destination: toBank })
  expect(elsewhere.json.message, elsewhere.text).toBe('Refund waits for your callback')
  expect(asked()).toHaveLength(0)
  await askAll()
  const [{ body }] = asked() as [Received]
  expect(JSON.parse(body)).toMatchObject({ amount: 500_000, status: 'PENDING', ...toBank })
  await settle()
  const [copied] = await db.rows(sql<{ id: string }>`
    select id from payouts where kind = 'bank_return' and created_by_key is not null limit 1`)
  await expect(
    db.rows(sql`
      insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
        destination, metadata, takes_from, status, event_sequence, submitted_at, created_at,
        created_by_key)
      select environment_id, gen_random_uuid(), kind, rail, asset, amount, fee, requested_amount,
        destination, metadata, takes_from, 'SUBMITTED', event_sequence, submitted_at, created_at,
        created_by_key
      from payouts where id = ${copied!.id}`),
  ).rejects.toMatchObject({ constraint: 'payout_waits_for_the_callback' })
  await expectAllProofs(db)
})

test('a refund by claim whose payout the callback rejects is accepted again', async () => {
  const paid = await receive('order-by-claim')
  const path = `/v1/collections/payments/${paid.reference}`
  const { json, text } = await post(`${path}/refund`, { by: 'claim' })
  expect(json.data, text).toMatchObject({ status: 'RETURNING' })
  answer = () => ({ body: { decision: 'reject', reason: 'Unknown person' } })
  const { reference } = json.data.claim
  expect((await post(`/v1/test/claims/${reference}/claim`, toBank)).status).toBe(200)
  await expectAllProofs(db)
  await askAll()
  expect(await read(`/v1/claims/${reference}`)).toMatchObject({ status: 'CANCELLED' })
  expect(await read(path)).toEqual(paid)
  await expectAllProofs(db)
})
