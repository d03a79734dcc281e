import { randomUUID } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { ScenarioContext } from '../../sdk/cli/scenario-context.js'
import { triggers } from '../../sdk/cli/trigger.js'
import { Manilla } from '../../sdk/src/manilla.js'
import { after, hour } from '../../src/base/clock.js'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { pauseRail, resumeRail } from '../../src/payouts/requests/paused-rails.js'
import { sql } from '../../src/postgres/sql.js'
import { createSession } from '../../src/team/sessions.js'
import { findFreedom } from '../../src/team/shared-access.js'
import type { Reply } from '../support/open-manilla.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson, type Person } from '../support/people.js'
import { openSession } from '../support/sessions.js'
import { goodPassword, openJar } from '../support/sign-in.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, bank, clock, settle, ask, merchant } = service
const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
const bola = await addPerson(service, { role: 'finance', name: 'Bola Ade' })
const chidi = await addPerson(service, { role: 'admin', name: 'Chidi Eze' })
const key = merchant.test.secret
const environmentId = merchant.environments.test.id

const rule = {
  appliesTo: 'console',
  NGN: { each: 1_000_000, perDay: 1_500_000 },
  USDC: { each: '100', perDay: null },
  USDT: null,
}
const toBank = { bankCode: '058', accountNumber: '0123456789' }
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'

await service.chain.advance(40)
await fund('NGN', 100_000_000)
await fund('USDC', '1000')
await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })

type Asking = Pick<Person, 'ask'>

async function fund(asset: string, amount: number | string) {
  const headers = { 'idempotency-key': randomUUID() }
  await ask('POST', '/v1/test/balances/fund', { key, body: { asset, amount }, headers })
}

async function payOut(person: Asking, amount = 2_000_000, more = {}) {
  const body = { amount, ...toBank, ...more }
  return person.ask('POST', '/v1/disbursements/bank-transfer', { body })
}

async function createPending(amount?: number) {
  const reply = await payOut(ada, amount)
  expect(reply.json.data, reply.text).toMatchObject({ status: 'PENDING' })
  return reply.json.data as { reference: string; orderHash: string }
}

type Pending = { reference: string; orderHash: string }

const approve = (person: Asking, { reference, orderHash }: Pending, headers = {}) =>
  person.ask('POST', `/v1/disbursements/${reference}/approve`, { body: { orderHash }, headers })

const reject = (person: Person, { reference }: Pending, reason = 'Paid already') =>
  person.ask('POST', `/v1/disbursements/${reference}/reject`, { body: { reason } })

const read = async (path: string) => (await ask('GET', path, { key })).json.data
const verify = ({ reference }: Pending) =>
  read(`/v1/disbursements/${reference.startsWith('bt') ? 'bank-transfer' : 'crypto'}/${reference}`)

async function available(asset = 'NGN') {
  const { items } = await read('/v1/balances')
  return items.find((one: { asset: string }) => one.asset === asset).available
}

async function eventsOf({ reference }: Pending): Promise<string[]> {
  const { items } = await read(`/v1/events?resource=${reference}&limit=100`)
  const inOrder = items.toSorted((a: Numbered, b: Numbered) => a.sequence - b.sequence)
  return inOrder.map(({ type }: Numbered) => type)
}
type Numbered = { type: string; sequence: number }

const idOf = ({ reference }: Pending) =>
  fromReference(
    reference.startsWith('bt') ? prefixes.bankTransfer : prefixes.cryptoTransfer,
    reference,
  )!

const attemptsOf = async (payout: Pending) =>
  db.rows<{ number: number }>({
    text: 'select number from payout_attempts where payout_id = $1',
    values: [idOf(payout)],
  })

/** Whatever was tried, nothing left: it waits, and no attempt exists. */
async function expectWaiting(payout: Pending) {
  expect(await verify(payout)).toMatchObject({ status: 'PENDING', submittedAt: null })
  expect(await attemptsOf(payout)).toEqual([])
  await reject(chidi, payout)
}

/** Uses the link that a member made for another, as the maker could. */
async function useLink(reply: Reply, given: Record<string, string>): Promise<Person['ask']> {
  const jar = openJar(service.url)
  const joined = await jar.submit(new URL(reply.json.data.url).pathname, given)
  expect(joined.status, joined.text).toBe(303)
  const cookie = `manilla=${jar.cookies.get('manilla')}`
  return (method, path, request = {}) =>
    ada.ask(method, path, { ...request, headers: { ...request.headers, cookie } })
}

async function takeOver(maker: Person, { userId }: Person) {
  const reference = toReference(prefixes.user, userId)
  const made = await maker.ask('POST', `/v1/team/users/${reference}/link`)
  return { ask: await useLink(made, { password: goodPassword }) }
}

async function invite(maker: Person) {
  const body = { email: `${randomUUID()}@example.com`, role: 'admin', maySeeLive: true }
  const made = await maker.ask('POST', '/v1/team/invitations', { body })
  return { ask: await useLink(made, { name: 'Tunde Bello', password: goodPassword }) }
}

describe('a payout over the rule', () => {
  // Each of them waits for the row, and must then see what the other has decided.
  test('of an API key that two members approve at once is sent', async () => {
    await ada.ask('PATCH', '/v1/settings/approvals', { body: { ...rule, appliesTo: 'all' } })
    clock.advance(2_000)
    const body = { amount: 2_000_000, ...toBank }
    const headers = { 'idempotency-key': randomUUID() }
    const made = await ask('POST', '/v1/disbursements/bank-transfer', { key, body, headers })
    const payout: Pending = made.json.data
    expect(payout).toMatchObject({ status: 'PENDING', approval: { needed: 2 } })
    const approvals = await db.transaction(async (tx) => {
      await tx.rows(sql`select from payouts where id = ${idOf(payout)} for no key update`)
      const both = [approve(bola, payout), approve(chidi, payout)]
      await vi.waitFor(async () => {
        const [waiting] = await db.rows(sql<{ count: number }>`
          select count(*)::int4 from pg_locks where not granted`)
        expect(waiting!.count).toBe(2)
      }, 10_000)
      return { both }
    })
    const replies = await Promise.all(approvals.both)
    expect(replies.map(({ json }) => json.message).toSorted()).toEqual([
      'Approved; another member must approve it, too',
      'Transfer approved',
    ])
    expect(await verify(payout)).toMatchObject({ status: 'SUBMITTED' })
    await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })
    const { items } = (await chidi.ask('GET', '/v1/settings/changes')).json.data
    await chidi.ask('POST', `/v1/settings/changes/${items[0].id}/confirm`)
    clock.advance(2_000)
  })

  test('waits with its money held, and is sent once another person approves it', async () => {
    const before = await available()
    const payout = await createPending()
    expect(await verify(payout)).toMatchObject({
      status: 'PENDING',
      sessionId: null,
      submittedAt: null,
      orderHash: payout.orderHash,
      approval: { needed: 1, givenBy: [], rejectedBy: null, reason: null },
    })
    const { totalDebit } = await verify(payout)
    expect(await available()).toBe(before - totalDebit)
    expect(await attemptsOf(payout)).toEqual([])
    const waiting = await read('/v1/disbursements?status=PENDING')
    expect(waiting.items[0]).toMatchObject({
      reference: payout.reference,
      createdBy: { kind: 'user', name: 'Ada Obi' },
    })
    const settled = await ask('POST', `/v1/test/disbursements/${payout.reference}/settle`, {
      key,
      body: { outcome: 'complete' },
    })
    expect(settled.json).toMatchObject({ reason: 'invalid_state' })

    const approved = await approve(bola, payout)
    expect(approved.json.data, approved.text).toMatchObject({
      status: 'SUBMITTED',
      approval: { givenBy: [{ name: 'Bola Ade' }] },
    })
    await settle()
    expect(await verify(payout)).toMatchObject({ status: 'COMPLETED', orderHash: payout.orderHash })
    expect(await eventsOf(payout)).toEqual([
      'bank_transfer.pending',
      'bank_transfer.submitted',
      'bank_transfer.completed',
    ])
    const timeline = await read(`/v1/timeline/${payout.reference}`)
    const kinds = timeline.items.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(
      expect.arrayContaining(['payout_pending', 'payout_approved', 'payout_submitted']),
    )
    const titles = timeline.items.map(({ title }: { title: string }) => title)
    expect(titles.filter((title: string) => title === 'Bola Ade approved it')).toHaveLength(1)
    await expectAllProofs(db)
  })

  test('in coins is signed at approval', async () => {
    const body = { amount: '250', asset: 'USDC', network: 'SOLANA', destinationAddress: wallet }
    const { json } = await ada.ask('POST', '/v1/disbursements/crypto', { body })
    expect(json.data, JSON.stringify(json)).toMatchObject({
      status: 'PENDING',
      transactionSignature: null,
      attempts: [],
    })
    expect(await available('USDC')).toBe('749')
    const approved = await approve(bola, json.data)
    expect(approved.json.data.transactionSignature).toEqual(expect.any(String))
    for (let poll = 0; poll < 3; poll += 1) await settle()
    expect(await verify(json.data)).toMatchObject({ status: 'CONFIRMED' })
    await expectAllProofs(db)
  })

  test('gives the money back when it is rejected, also by its creator', async () => {
    const before = await available()
    const payout = await createPending()
    const rejected = await reject(ada, payout, 'Wrong amount')
    expect(rejected.json.data).toMatchObject({
      status: 'FAILED',
      failureReason: 'approval_rejected',
      submittedAt: null,
      approval: { rejectedBy: { name: 'Ada Obi' }, reason: 'Wrong amount' },
    })
    expect(await available()).toBe(before)
    expect(await eventsOf(payout)).toEqual(['bank_transfer.pending', 'bank_transfer.failed'])
    await expectAllProofs(db)
  })

  test('is neither approved nor created while operators have paused the rail', async () => {
    const payout = await createPending()
    const pause = { rail: bank.name, reason: 'The bank is down', pausedBy: 'ope' }
    await db.transaction((tx) => pauseRail(tx, clock.now(), pause))
    clock.advance(1_000)
    for (const refused of [await approve(bola, payout), await payOut(ada)])
      expect([refused.status, refused.json.reason]).toEqual([503, 'rail_unavailable'])
    await db.transaction((tx) => resumeRail(tx, bank.name))
    clock.advance(1_000)
    await expectWaiting(payout)
  })

  // The process dies after the commit of the approval and before it has sent anything.
  test('is sent once by a worker if the process dies after the approval', async () => {
    const payout = await createPending()
    const { send } = bank
    bank.send = async () => {}
    expect((await approve(bola, payout)).status).toBe(200)
    bank.send = send
    await settle()
    await settle()
    expect(await verify(payout)).toMatchObject({ status: 'COMPLETED' })
    const orders = await db.rows({
      text: 'select from sandbox_transfers where reference = $1',
      values: [payout.reference.replace('_', '-')],
    })
    expect(orders).toHaveLength(1)
    await expectAllProofs(db)
  })

  test('gets one attempt if two people approve it at the same time', async () => {
    const payout = await createPending()
    const replies = await Promise.all([bola, chidi, bola, chidi].map((one) => approve(one, payout)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expect(await attemptsOf(payout)).toEqual([{ number: 1 }])
    await settle()
    await expectAllProofs(db)
  })

  test('of a suspended merchant cannot be approved', async () => {
    const payout = await createPending()
    const set = (time: string) =>
      db.rows({ text: `update merchants set suspended_at = ${time}`, values: [] })
    await set('now()')
    clock.advance(1_100)
    expect((await approve(bola, payout)).json).toMatchObject({ reason: 'merchant_suspended' })
    await set('null')
    clock.advance(1_100)
    await expectWaiting(payout)
  })
})

describe('no payout leaves without a second member:', () => {
  test('1. its creator approves it', async () => {
    const payout = await createPending()
    expect((await approve(ada, payout)).json).toMatchObject({ reason: 'own_payout' })
    await expectWaiting(payout)
  })

  test('2. its creator approves it in another session', async () => {
    const payout = await createPending()
    const now = clock.now()
    const token = await db.transaction(async (tx) =>
      createSession(tx, now, {
        userId: ada.userId,
        isOperator: false,
        hasSecondFactor: true,
        address: '203.0.113.7',
        browser: 'another',
      }),
    )
    const reply = await approve(ada, payout, { cookie: `manilla=${token}` })
    expect(reply.json).toMatchObject({ reason: 'own_payout' })
    await expectWaiting(payout)
  })

  test('3. it was created with an API key that the approver made', async () => {
    await ada.ask('PATCH', '/v1/settings/approvals', { body: { ...rule, appliesTo: 'all' } })
    const issued = await chidi.ask('POST', '/v1/api-keys', {
      body: { name: 'payroll', kind: 'secret' },
    })
    clock.advance(1_100)
    const headers = { 'idempotency-key': randomUUID() }
    const question = {
      key: issued.json.data.key,
      body: { amount: 2_000_000, ...toBank },
      headers,
    }
    const created = await ask('POST', '/v1/disbursements/bank-transfer', question)
    const payout = created.json.data
    expect(payout, created.text).toMatchObject({ status: 'PENDING' })
    const replayed = await ask('POST', '/v1/disbursements/bank-transfer', question)
    expect(replayed.text).toBe(created.text)
    expect((await approve(chidi, payout)).json).toMatchObject({ reason: 'own_payout' })
    await expectWaiting(payout)

    const context = new ScenarioContext({
      manilla: new Manilla(key, { baseUrl: service.url }),
      isLocal: true,
      stop: new AbortController().signal,
    })
    for (const type of ['bank_transfer.pending', 'crypto_transfer.pending'] as const)
      await triggers[type](context).then(async (event) => {
        expect(event).toMatchObject({ type, data: { status: 'PENDING' } })
        await reject(chidi, event.data as Pending)
      })
  })

  // Before the tests that advance the clock by days.
  test('11. one admin made the links of the creator, the approver, or both', async () => {
    const olu = await addPerson(service, { role: 'finance', name: 'Olu Bello' })
    const asOlu = await takeOver(ada, olu)
    const ofAda = await createPending()
    expect((await approve(asOlu, ofAda)).json).toMatchObject({ reason: 'shared_access' })
    await expectWaiting(ofAda)

    const asInvited = await invite(ada)
    const ofOlu = (await payOut(asOlu)).json.data
    expect((await approve(asInvited, ofOlu)).json).toMatchObject({ reason: 'shared_access' })
    const looser = { ...rule, NGN: { each: 900_000_000, perDay: null } }
    const proposed = await ada.ask('PATCH', '/v1/settings/approvals', { body: looser })
    const { id } = proposed.json.data.change
    const confirmed = await asInvited.ask('POST', `/v1/settings/changes/${id}/confirm`)
    expect(confirmed.json).toMatchObject({ reason: 'shared_access' })
    await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })

    // A member without such a link approves; so may the others once three days have passed.
    expect((await approve(bola, ofOlu)).json.data).toMatchObject({ status: 'SUBMITTED' })
    const pair: [string, string] = [ada.userId, olu.userId]
    const now = clock.now()
    expect((await findFreedom(db, now, pair)).from > now).toBe(true)
    expect((await findFreedom(db, now, pair)).from < after(now, 73 * hour)).toBe(true)
    await settle()
  })

  test('4. the account belongs to another person by now', async () => {
    const payout = await createPending()
    const { inspect } = bank
    bank.inspect = async (targets) =>
      (await inspect(targets)).map((one) =>
        'destination' in one
          ? { ...one, destination: { ...one.destination, accountName: 'EVE OKORO' } }
          : one,
      ) as Awaited<ReturnType<typeof inspect>>
    expect((await approve(bola, payout)).json).toMatchObject({ reason: 'name_changed' })
    bank.inspect = inspect
    await expectWaiting(payout)
  })

  test('5. an approval and a rejection race', async () => {
    for (let round = 0; round < 4; round += 1) {
      const payout = await createPending()
      const [approved, rejected] = await Promise.all([approve(bola, payout), reject(chidi, payout)])
      const isApproved = approved.status === 200
      expect([approved.status, rejected.status].sort()).toEqual([200, 409])
      expect(await verify(payout)).toMatchObject({ status: isApproved ? 'SUBMITTED' : 'FAILED' })
      expect(await attemptsOf(payout)).toHaveLength(isApproved ? 1 : 0)
      await settle()
    }
    await expectAllProofs(db)
  })

  test('6. an approval is sent again, for this payout or for another', async () => {
    const [first, second] = [await createPending(), await createPending()]
    const headers = { 'idempotency-key': randomUUID() }
    const approved = await approve(bola, first, headers)
    const again = await approve(bola, first, headers)
    expect([again.status, again.text]).toEqual([200, approved.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await approve(bola, first)).json).toMatchObject({ reason: 'invalid_state' })
    expect(await attemptsOf(first)).toHaveLength(1)
    const other = await approve(bola, { ...second, orderHash: first.orderHash })
    expect(other.json).toMatchObject({ reason: 'order_changed' })
    await expectWaiting(second)
  })

  test('7. it expired', async () => {
    const before = await available()
    const payout = await createPending()
    const body = { seconds: 72 * 3_600 }
    await ask('POST', '/v1/test/clock/advance', { key, body })
    expect((await approve(bola, payout)).json).toMatchObject({ reason: 'invalid_state' })
    expect(await verify(payout)).toMatchObject({
      status: 'FAILED',
      failureReason: 'approval_expired',
    })
    expect(await available()).toBe(before)
    expect(await attemptsOf(payout)).toEqual([])
    await expectAllProofs(db)
  })

  test('8. its amount or destination changes while it waits', async () => {
    const payout = await createPending()
    const changes = [
      'amount = amount + 1',
      'fee = 0',
      `destination = '{"kind":"wallet","address":"x"}'`,
      `asset = 'USDC'`,
      'created_by_user = null',
      `order_hash = sha256('x')`,
      `approve_by = approve_by + interval '1 year'`,
    ]
    for (const change of changes)
      await expect(
        db.rows({ text: `update payouts set ${change} where id = $1`, values: [idOf(payout)] }),
      ).rejects.toThrow(/payouts/)
    await expectWaiting(payout)
  })

  test('9. the rule is loosened, or the amount is split', async () => {
    const looser = { ...rule, NGN: { each: 900_000_000, perDay: null } }
    const change = (person: Person, body: object) =>
      person.ask('PATCH', '/v1/settings/approvals', { body })
    expect((await change(chidi, looser)).json).toMatchObject({ reason: 'role' })
    const viaKey = await ask('PATCH', '/v1/settings', { key, body: { approvals: looser } })
    expect(viaKey.json).toMatchObject({ code: 'forbidden', reason: 'console_only' })
    const proposed = await change(ada, looser)
    expect(proposed.json.data).toMatchObject({ approvals: { NGN: { each: 1_000_000 } } })
    const { id } = proposed.json.data.change
    const confirm = (person: Person, name = id) =>
      person.ask('POST', `/v1/settings/changes/${name}/confirm`)
    expect((await confirm(ada)).json).toMatchObject({ reason: 'second_member_required' })
    expect((await confirm(bola)).json).toMatchObject({ reason: 'role' })
    await createPending().then((payout) => reject(chidi, payout))
    // A stricter rule replaces the proposal, so nothing is left to confirm.
    expect((await change(ada, { ...rule, appliesTo: 'all' })).json.data.change).toBeNull()
    expect((await confirm(chidi)).json).toMatchObject({ code: 'not_found' })

    const parts = await Promise.all([0, 1, 2, 3].map(() => payOut(bola, 700_000)))
    const statuses = parts.map(({ json }) => json.data.status)
    expect(statuses.sort()).toEqual(['PENDING', 'PENDING', 'SUBMITTED', 'SUBMITTED'])
    for (const { json } of parts) await reject(chidi, json.data)

    const again = await change(ada, looser)
    expect((await confirm(chidi, again.json.data.change.id)).json.data.approvals).toEqual({
      ...looser,
      controls: null,
    })
    expect((await payOut(ada)).json.data.status).toBe('SUBMITTED')
    await change(ada, rule)
    await settle()
  })

  test('10. an attacker has the database connection of the application', async () => {
    const payout = await createPending()
    const id = idOf(payout)
    const session = await openSession(db)
    const attempt = (text: string) => session.query(text).catch((error: Error) => error.message)
    const [row] = await db.rows<{ hash: string; session: string; live: string }>({
      text: `select encode(p.order_hash, 'hex') as hash, s.id as session,
          (select id from user_sessions where user_id = $2) as live
        from payouts p, user_sessions s where p.id = $1 and s.user_id = $3 limit 1`,
      values: [id, bola.userId, ada.userId],
    })
    const approval = (userId: string, sessionId: string, hash = `'\\x${row!.hash}'`) => `
      insert into payout_approvals (environment_id, payout_id, verdict, user_id, session_id,
        order_hash, decided_at)
      values (${environmentId}, '${id}', 'APPROVED', '${userId}', '${sessionId}', ${hash}, now())`
    const submit = `update payouts set status = 'SUBMITTED', submitted_at = now() where id = '${id}'`
    const addAttempt = `
      insert into payout_attempts (environment_id, payout_id, number, rail, token, wire, state,
        due_at, created_at)
      select environment_id, id, 1, rail, 'x', 'x', 'LIVE', now(), now() from payouts
      where id = '${id}'`
    const outcomes = {
      submit: await attempt(submit),
      complete: await attempt(
        `update payouts set status = 'COMPLETED', completed_at = now() where id = '${id}'`,
      ),
      attempt: await attempt(addAttempt),
      ownApproval: await attempt(approval(ada.userId, row!.session)),
      strange: await attempt(approval(bola.userId, row!.session)),
      otherOrder: await attempt(approval(bola.userId, row!.live, `sha256('x')`)),
      noRule: await attempt(`
        update environment_settings set document = '{}' where environment_id = ${environmentId}`),
      noRow: await attempt(`
        delete from environment_settings where environment_id = ${environmentId}`),
      noCopy: await attempt(`
        update environments set approval_rule = null where id = ${environmentId}`),
      unheld: await attempt(`
        insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
          destination, metadata, created_by_user, status, event_sequence, submitted_at, created_at)
        select environment_id, gen_random_uuid(), kind, rail, asset, amount, fee, requested_amount,
          destination, metadata, created_by_user, 'SUBMITTED', 1, now(), now()
        from payouts where id = '${id}'`),
    }
    expect(outcomes).toEqual({
      submit: 'pending_payout_leaves_with_approval',
      complete: 'pending_payout_leaves_with_approval',
      attempt: 'pending_payout_has_no_attempt',
      ownApproval: expect.stringContaining('approver_is_not_creator'),
      strange: 'approver_is_a_member_who_may',
      otherOrder: 'approval_is_of_this_order',
      noRule: 'looser_rule_needs_a_second_person',
      noRow: 'looser_rule_needs_a_second_person',
      noCopy: 'approval_rule_is_that_of_the_settings',
      unheld: 'payout_over_the_rule_waits',
    })
    await expectWaiting(payout)
    const edit = `update payout_approvals set verdict = 'APPROVED', reason = null`
    expect(await attempt(edit)).toMatch(/payout_approvals/)
    await expectAllProofs(db)
  })
})

describe('a refund', () => {
  async function collect(amount: number) {
    const headers = { 'idempotency-key': randomUUID() }
    const path = '/v1/collections/dedicated-accounts'
    const body = { externalReference: randomUUID() }
    const { accountNumber } = (await ask('POST', path, { key, body, headers })).json.data
    const paid = { accountNumber, amount, sender: { name: 'CHUKA OKAFOR' } }
    await ask('POST', '/v1/test/bank-transfers', { key, body: paid })
    await settle()
    const { items } = await read(`/v1/collections/payments?minAmount=${amount}&limit=1`)
    return items[0].reference as string
  }
  const returnsOf = async (payment: string) =>
    (await read(`/v1/collections/payments/${payment}/returns`)).items

  test('to the sender needs no second member, one to another account does', async () => {
    const payment = await collect(3_000_000)
    const path = `/v1/collections/payments/${payment}/refund`
    const elsewhere = { amount: 1_100_000, destination: toBank }
    const back = await bola.ask('POST', path, { body: { amount: 1_200_000 } })
    expect(back.json.message).toBe('Refund submitted')
    clock.advance(1)
    const waiting = await bola.ask('POST', path, { body: elsewhere })
    expect(waiting.json.message, waiting.text).toBe('Refund waits for approval')
    const [refund] = await returnsOf(payment)
    expect(refund).toMatchObject({ status: 'PENDING', amount: 1_100_000 })
    expect((await approve(bola, refund)).json).toMatchObject({ reason: 'own_payout' })
    expect((await approve(chidi, refund)).status).toBe(200)
    await settle()
    expect((await returnsOf(payment))[0]).toMatchObject({ status: 'RETURNED' })
    await expectAllProofs(db)
  })

  test('of held money to another account waits, and is held again if rejected', async () => {
    const body = { policies: { bank: { overpayment: 'hold' } } }
    await ask('PATCH', '/v1/settings', { key, body })
    const headers = { 'idempotency-key': randomUUID() }
    const created = await ask('POST', '/v1/collections/virtual-accounts', {
      key,
      body: { amount: 100_000, merchantReference: randomUUID() },
      headers,
    })
    const { accountNumber, reference } = created.json.data
    const paid = { accountNumber, amount: 2_100_000 }
    await ask('POST', '/v1/test/bank-transfers', { key, body: paid })
    await settle()
    const list = await read(`/v1/collections/payments?accountReference=${reference}`)
    const payment = list.items[0].reference
    const path = `/v1/collections/payments/${payment}`
    const resolved = await bola.ask('POST', `${path}/resolve`, {
      body: { action: 'return', destination: toBank },
    })
    expect(resolved.json.message, resolved.text).toBe('Return waits for approval')
    expect(resolved.json.data).toMatchObject({ amountReturning: 2_000_000, amountHeld: 0 })
    const [waiting] = await returnsOf(payment)
    expect(waiting).toMatchObject({ status: 'PENDING' })
    await settle()
    expect((await reject(chidi, waiting)).status).toBe(200)
    expect(await read(path)).toMatchObject({ amountHeld: 2_000_000, amountReturning: 0 })
    await expectAllProofs(db)
  })
})

test('a member who may only ask for a refund leaves it to one who may decide', async () => {
  const emeka = await addPerson(service, { role: 'support', name: 'Emeka Obi' })
  const { items } = await read('/v1/collections/payments?status=HELD')
  const path = `/v1/collections/payments/${items[0].reference}`
  const resolve = { body: { action: 'accept' } }
  expect((await emeka.ask('POST', `${path}/resolve`, resolve)).json).toMatchObject({
    reason: 'role',
  })
  const request = { body: { action: 'accept', note: 'The customer agrees' } }
  expect((await emeka.ask('POST', `${path}/requests`, request)).status).toBe(201)
  const again = await emeka.ask('POST', `${path}/requests`, request)
  expect(again.json).toMatchObject({ reason: 'invalid_state' })
  const attention = (await ada.ask('GET', '/v1/attention')).json.data.items
  expect(attention).toContainEqual(
    expect.objectContaining({ kind: 'payment_request', link: `/payments/${items[0].reference}` }),
  )
  expect((await ada.ask('POST', `${path}/resolve`, resolve)).status).toBe(200)
  const requests = (await emeka.ask('GET', `${path}/requests`)).json.data.items
  expect(requests).toMatchObject([
    { status: 'DONE', requestedBy: 'Emeka Obi', decidedBy: 'Ada Obi' },
  ])
  const declined = await emeka.ask('POST', `${path}/requests/decline`)
  expect(declined.json).toMatchObject({ reason: 'invalid_state' })
})

describe('the rule', () => {
  test('cannot be set while fewer than two members may approve', async () => {
    const lonely = await service.addMerchant('Lonely Stores')
    const owner = await addPerson(service, { role: 'owner', merchant: lonely.reference })
    await addPerson(service, { role: 'developer', merchant: lonely.reference })
    const reply = await owner.ask('PATCH', '/v1/settings/approvals', { body: rule })
    expect(reply.json).toMatchObject({ reason: 'too_few_approvers' })
  })

  test('tells who may approve before a payout is created', async () => {
    const path = '/v1/disbursements/approval-check?currency=NGN&amount='
    const large = await bola.ask('GET', `${path}2000000`)
    const names = large.json.data.approvers.map(({ name }: { name: string }) => name)
    expect(large.json.data.needed).toBe(true)
    expect(names).toEqual(['Ada Obi', 'Chidi Eze', 'Olu Bello', 'Tunde Bello'])
    expect((await chidi.ask('GET', `${path}1000000`)).json.data.needed).toBe(false)
  })
})

test('the history of a recipient counts what was paid to it', async () => {
  const account = { bankCode: '058', accountNumber: '0123456788' }
  await payOut(chidi, 300_000, account)
  clock.advance(1)
  await payOut(chidi, 100_000, account)
  await settle()
  const path = '/v1/disbursements/recipients?bankCode=058&accountNumber=0123456788'
  expect(await read(path)).toMatchObject({
    count: 2,
    totals: [{ currency: 'NGN', count: 2, total: 400_000, largest: 300_000 }],
    last: { amount: 100_000, status: 'COMPLETED' },
    cameBack: 0,
  })
  const other = await read(path.replace('058', '044'))
  expect(other).toMatchObject({ count: 0, totals: [], last: null })
  expect((await ask('GET', '/v1/disbursements/recipients', { key })).status).toBe(400)
})
