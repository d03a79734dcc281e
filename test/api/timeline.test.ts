import { beforeEach, describe, expect, test } from 'vitest'
import { writeAuditLine } from '../../src/audit/write-line.js'
import { day } from '../../src/base/clock.js'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { timelineLimits } from '../../src/timeline/limits.js'
import { answerAll, emit, newEventOf } from '../support/deliveries.js'
import { openWithBank } from '../support/open-with-bank.js'
import { behaves, type Desk, keyed, openDesk } from '../support/payment-desk.js'

const service = await openWithBank()
const { db, clock } = service
let desk: Desk
beforeEach(async () => {
  desk = await openDesk(service)
})

type Item = {
  at: string
  kind: string
  title: string
  reference: string | null
  amount: number | null
  currency: string | null
  details: Record<string, unknown>
}

async function timelineOf(reference: string): Promise<{ items: Item[]; truncated: boolean }> {
  const { status, json } = await desk.get(`/v1/timeline/${reference}`)
  expect([status, json.data?.reference]).toEqual([200, reference])
  return json.data
}

/** Oldest first, as a story. */
async function storyOf(reference: string): Promise<string[]> {
  const { items } = await timelineOf(reference)
  return items.toReversed().map(({ kind, title }) => `${kind}: ${title}`)
}

async function addEndpoint(url: string) {
  const { json } = await desk.post('/v1/webhook-endpoints', { url })
  const id = fromReference(prefixes.webhookEndpoint, json.data.id)!
  return { reference: json.data.id as string, environmentId: desk.environmentId, id }
}

const customer = { name: 'Ada Obi', email: 'ada@example.com' }

async function openSession() {
  const body = { amount: 500_000, description: 'Bread', customer }
  const { json } = await desk.post('/v1/checkout/sessions', body)
  const [row] = await db.rows(sql<{ number: string; account: string }>`
    select a.number from checkout_sessions s join collection_accounts a
      on a.environment_id = s.environment_id and a.id = s.account_id
    where s.reference = ${json.data.reference}`)
  return { reference: json.data.reference as string, number: row!.number }
}

describe('a payment', () => {
  test('of a session is told from the page to the webhook', async () => {
    const good = await addEndpoint('https://shop.example/hooks')
    const session = await openSession()
    clock.advance(1_000)
    await db.rows(sql`
      update checkout_sessions set opened_at = ${clock.now()}
      where reference = ${session.reference}`)
    clock.advance(1_000)
    const paid = await desk.pay(session.number, { sender: { name: 'CHUKA EZE' } })
    await answerAll(db, clock.now(), { endpoint: good, status: 200 })
    const number = session.number
    const story = await storyOf(paid.reference)
    // Two events of one moment have no order.
    expect(story.splice(8).toSorted()).toEqual([
      'event: Event checkout.session.paid happened',
      'event: Event virtual_account.paid happened',
      'webhook_delivery: Webhook delivered to https://shop.example/hooks in 12 ms',
      'webhook_delivery: Webhook delivered to https://shop.example/hooks in 12 ms',
    ])
    expect(story).toEqual([
      'session_created: Checkout session created',
      `account_opened: Virtual account ${number} at Sandbox Bank opened`,
      'session_opened: Checkout page opened',
      'payment_received: ₦5,000.00 received from CHUKA EZE',
      'notice_received: The bank reported the payment',
      'payment_judged: ₦5,000.00 accepted',
      'ledger_entry: ₦5,000.00 credited to your balance',
      'ledger_entry: Fee of ₦50.00 charged',
    ])
    const { items, truncated } = await timelineOf(paid.reference)
    expect(truncated).toBe(false)
    expect(items.findLast(({ kind }) => kind === 'ledger_entry')).toEqual({
      at: clock.now().toISOString(),
      kind: 'ledger_entry',
      title: '₦5,000.00 credited to your balance',
      reference: paid.reference,
      amount: 500_000,
      currency: 'NGN',
      details: {
        purpose: 'payment',
        effect: 'post',
        from: 'the bank',
        to: 'your balance',
        balanceAfter: 500_000,
      },
    })
    expect(items[0]!.details).toEqual({
      status: 'DELIVERED',
      type: expect.stringMatching(/^(checkout.session|virtual_account).paid$/),
      eventId: items[0]!.reference,
      endpointId: good.reference,
      url: 'https://shop.example/hooks',
      attempt: 1,
      httpStatus: 200,
      durationMs: 12,
    })
    const ofSession = (await timelineOf(session.reference)).items.map(({ title }) => title)
    for (const { kind, title } of items)
      if (kind !== 'notice_received') expect(ofSession).toContain(title)
  })

  test('that is refunded is told the same by its session and its account', async () => {
    const session = await openSession()
    const paid = await desk.pay(session.number)
    await service.pass(1)
    await desk.refund(paid.reference, { amount: 100_000 }, keyed('one'))
    clock.advance(1_000)
    const destination = { bankCode: '999', accountNumber: behaves.failing }
    await desk.refund(paid.reference, { amount: 200_000, destination }, keyed('two'))
    await service.pass(4)
    const ofPayment = (await timelineOf(paid.reference)).items
    const [failed, done] = await desk.returnsOf(paid.reference)
    for (const [{ reference }, title] of [
      [done, 'Refund of ₦1,000.00 reached the payer'],
      [failed, 'Refund of ₦2,000.00 failed'],
    ] as const)
      expect(ofPayment).toContainEqual(
        expect.objectContaining({ kind: 'return_ended', title, reference }),
      )
    const told = ofPayment.filter(({ kind }) => kind !== 'notice_received')
    for (const reference of [session.reference, paid.accountReference]) {
      const { items, truncated } = await timelineOf(reference)
      expect([reference, items, truncated]).toEqual([reference, told, false])
    }
  })

  test('into a dedicated account is told by the account', async () => {
    const body = { externalReference: 'c-1' }
    const { json } = await desk.post('/v1/collections/dedicated-accounts', body)
    const { accountReference: reference, accountNumber } = json.data
    const paid = [await desk.pay(accountNumber), await desk.pay(accountNumber)]
    const { items } = await timelineOf(reference)
    expect(items.at(-1)).toMatchObject({ kind: 'account_opened', reference })
    const received = items.filter(({ kind }) => kind === 'payment_received')
    expect(received.map((one) => one.reference).toSorted()).toEqual(
      paid.map((one) => one.reference).toSorted(),
    )
  })

  test('that is returned and refunded shows where the money is', async () => {
    const account = await desk.open()
    const sender = { accountNumber: behaves.failing, bankCode: '999' }
    const late = await desk.pay(account.accountNumber, { amount: 300_000, sender })
    await service.pass(4)
    clock.advance(1_000)
    await desk.resolve(late.reference, { action: 'accept' })
    await desk.refund(late.reference, { amount: 100_000 }, keyed('refund'))
    const story = await storyOf(late.reference)
    const wanted = [
      'payment_judged: Underpaid: ₦3,000.00 held',
      'ledger_entry: ₦3,000.00 held, not in your balance',
      'return_created: Return of ₦3,000.00 decided',
      'event: Event payment.returning happened',
      'ledger_entry: ₦3,000.00 of held money reserved for the return',
      'ledger_entry: Reserved ₦3,000.00 held again',
      'return_ended: Return of ₦3,000.00 failed',
      'event: Event payment.held happened',
      'ledger_entry: ₦3,000.00 of held money credited to your balance',
      'return_created: Refund of ₦1,000.00 decided',
      'ledger_entry: ₦1,000.00 reserved for the refund',
    ]
    const told = new Set(story.filter((line) => wanted.includes(line)))
    expect([...told].toSorted()).toEqual(wanted.toSorted())
    const order = wanted.map((line) => story.indexOf(line))
    expect(order[0]).toBeLessThan(order[4]!)
    expect(order[6]).toBeLessThan(order[8]!)
    const [, failed] = await desk.returnsOf(late.reference)
    const ofReturn = await storyOf(failed.reference)
    expect(ofReturn[0]).toBe('return_created: Return of ₦3,000.00 decided')
    expect(ofReturn).toContain('payout_attempt_ended: Attempt 1 failed and moved nothing')
    expect(ofReturn).toContain('event: Event payment.held happened')
    expect(ofReturn.join()).not.toContain('Refund')
  })

  // Resources have the time of the environment, events and ledger that of the machine.
  test('is in order although the test clock was moved before and after', async () => {
    await desk.post('/v1/test/clock/advance', { seconds: (30 * day) / 1_000 })
    const account = await desk.open()
    clock.advance(1_000)
    const paid = await desk.pay(account.accountNumber)
    clock.advance(1_000)
    await desk.post('/v1/test/clock/advance', { seconds: (3 * day) / 1_000 })
    const kinds = (await timelineOf(paid.reference)).items.toReversed().map(({ kind }) => kind)
    const inOrder = ['account_opened', 'payment_judged', 'ledger_entry', 'event']
    expect([...new Set(kinds)].filter((kind) => inOrder.includes(kind))).toEqual(inOrder)
    expect(kinds.at(-1)).toBe('event')
  })

  test('shows which endpoint fails, waits or gave up', async () => {
    const failing = await addEndpoint('https://failing.example/')
    const gone = await addEndpoint('https://gone.example/')
    await addEndpoint('https://waiting.example/')
    const account = await desk.open()
    const paid = await desk.pay(account.accountNumber)
    await answerAll(db, clock.now(), { endpoint: failing, status: 503 })
    await answerAll(db, clock.now(), { endpoint: gone, status: 410 })
    const { items } = await timelineOf(paid.reference)
    const ofType = items.filter(
      ({ kind, details }) => kind === 'webhook_delivery' && details.type === 'virtual_account.paid',
    )
    expect(ofType.map(({ title }) => title).toSorted()).toEqual([
      'Webhook to https://failing.example/ is failing: status 503; 1 attempt so far',
      'Webhook to https://gone.example/ given up after 1 attempt: status 410',
      'Webhook to https://waiting.example/ is waiting to be sent',
    ])
    expect(ofType.map(({ details }) => details.nextAttemptAt !== undefined).toSorted()).toEqual([
      false,
      true,
      true,
    ])
  })

  test('with many events shows the newest of them and says so', async () => {
    const account = await desk.open()
    const paid = await desk.pay(account.accountNumber)
    const resourceId = fromReference(prefixes.payment, paid.reference)!
    const { eventsMax, itemsMax } = timelineLimits
    for (const url of ['a', 'b', 'c', 'd']) await addEndpoint(`https://${url}.example/`)
    clock.advance(1_000)
    await emit(
      db,
      clock.now(),
      Array.from({ length: eventsMax + 1 }, (_, index) =>
        newEventOf(desk.environmentId, { resourceId, sequence: index + 1 }),
      ),
    )
    const { items, truncated } = await timelineOf(paid.reference)
    expect([items.length, truncated]).toEqual([itemsMax, true])
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['event', 'webhook_delivery']))
  })
})

describe('a payout', () => {
  async function payOut(accountNumber: string): Promise<string> {
    await desk.post('/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
    const body = { amount: 200_000, bankCode: '999', accountNumber }
    const { json } = await desk.post('/v1/disbursements/bank-transfer', body, keyed('payout'))
    return json.data.reference
  }

  test('shows reservations, attempts and how it ended', async () => {
    const reference = await payOut(behaves.reversing)
    await service.pass(12)
    const { items } = await timelineOf(reference)
    const story = items.toReversed().map(({ kind, title }) => `${kind}: ${title}`)
    expect(story[0]).toMatch(
      /^payout_submitted: Transfer of ₦2,000.00 to .+, Sandbox Bank is on the way/,
    )
    const told = story.slice(1).map((line) => line.replace(/Event |happened|bank_transfer./g, ''))
    expect(told).toEqual([
      'ledger_entry: ₦2,000.00 reserved for the transfer',
      'ledger_entry: ₦10.00 reserved for the fee',
      'payout_attempt: Attempt 1 ordered',
      'event: submitted ',
      'payout_attempt_ended: Attempt 1 arrived',
      'ledger_entry: Reserved ₦2,010.00 spent',
      'payout_ended: Transfer of ₦2,000.00 arrived',
      'event: completed ',
      'ledger_entry: ₦2,000.00 credited to your balance again',
      'ledger_entry: Fee of ₦10.00 credited to your balance again',
      'payout_ended: Transfer of ₦2,000.00 came back',
      'event: reversed ',
    ])
    expect(items.every((item) => item.reference !== null)).toBe(true)
  })

  test('shows what the operator decided, and nothing internal', async () => {
    const reference = await payOut(behaves.silent)
    clock.advance(1_000)
    const other = await service.addMerchant('Bola')
    const details = { reference, outcome: 'completed', evidence: 'called Mrs Ade at the bank' }
    const environments = [desk.environmentId, other.environments.test.id]
    for (const [index, environmentId] of environments.entries())
      await db.transaction(async (tx) =>
        writeAuditLine(tx, clock.now(), {
          actor: 'root@machine',
          action: 'payout.decide',
          environmentId,
          details: index === 0 ? details : { ...details, outcome: 'failed' },
        }),
      )
    const { items } = await timelineOf(reference)
    expect(items[0]).toEqual({
      at: clock.now().toISOString(),
      kind: 'operator_decision',
      title: 'The operator decided the outcome: completed',
      reference,
      amount: null,
      currency: null,
      details: { status: 'completed' },
    })
    expect(items[1]!.kind).not.toBe('operator_decision')
    for (const hidden of ['root@', 'Mrs Ade', 'evidence', 'whsec_'])
      expect(JSON.stringify(items)).not.toContain(hidden)
    await db.rows(sql`
      update payouts set is_review_required = true
      where id = ${fromReference(prefixes.bankTransfer, reference)}`)
    const reviewed = (await timelineOf(reference)).items.find(
      ({ kind }) => kind === 'review_required',
    )
    expect(reviewed!.title).toBe('No outcome is known after three days: the operator reviews it')
  })

  test('of another environment, or an unknown one, is not found', async () => {
    const session = await openSession()
    const paid = await desk.pay(session.number)
    await desk.refund(paid.reference, { amount: 100 }, keyed('r'))
    const [refund] = await desk.returnsOf(paid.reference)
    const payout = await payOut('0123456789')
    const account = paid.accountReference
    const references = [session.reference, paid.reference, refund.reference, payout, account]
    for (const reference of references) await timelineOf(reference)
    const changed = session.reference.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const { merchant } = desk
    const stranger = (await service.addMerchant('Bola')).test.secret
    const strange = [changed, 'x', 'pay_', paid.reference.replace('pay_', 'bt_'), 'evt_1']
    strange.push(account.replace('va_', 'da_'), 'va_', 'va_1')
    for (const [key, names] of [
      [stranger, references],
      [merchant.live.secret, references],
      [merchant.test.secret, strange],
    ] as const)
      for (const reference of names) {
        const reply = await service.ask('GET', `/v1/timeline/${reference}`, { key })
        expect([reference, reply.status, reply.json.code]).toEqual([reference, 404, 'not_found'])
      }
    const path = `/v1/timeline/${paid.reference}`
    expect((await service.ask('GET', path, { key: merchant.test.public })).status).toBe(401)
  })
})
