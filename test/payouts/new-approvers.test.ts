import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { day, hour, second } from '../../src/base/clock.js'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { expireBatches } from '../../src/payouts/batches/decide-batch.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { sql } from '../../src/postgres/sql.js'
import { createSession } from '../../src/team/sessions.js'
import { openBatchWorker } from '../support/batch-worker.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson, type Person } from '../support/people.js'
import { goodPassword, openJar } from '../support/sign-in.js'
import { expectAllProofs } from '../support/sound-books.js'

// Members who joined, or became approvers, a short while ago.
const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, settle, ask } = service
const rule = { appliesTo: 'all', NGN: { each: 1_000_000, perDay: null }, USDC: null, USDT: null }
const toBank = { bankCode: '058', accountNumber: '0123456789' }

type Asking = Pick<Person, 'ask'>
type Pending = { reference: string; orderHash: string }

/** A shop whose owner made the rule while two members could approve, and is alone now. */
async function openShop() {
  const shop = await service.addMerchant(`Shop ${randomUUID()}`)
  const merchant = shop.reference
  const owner = await addPerson(service, { role: 'owner', merchant, name: 'Ada Obi' })
  const former = await addPerson(service, { role: 'finance', merchant, name: 'Former Member' })
  const key = shop.test.secret
  await ask('POST', '/v1/test/balances/fund', {
    key,
    body: { asset: 'NGN', amount: 500_000_000 },
    headers: { 'idempotency-key': randomUUID() },
  })
  const set = await owner.ask('PATCH', '/v1/settings/approvals', { body: rule })
  expect(set.status, set.text).toBe(200)
  await changeMember(owner, former, { isDisabled: true })
  clock.advance(1_100)
  const advance = async (ms: number) => {
    const body = { seconds: ms / second }
    const moved = await ask('POST', '/v1/test/clock/advance', { key, body })
    expect(moved.status, moved.text).toBe(200)
  }
  const invite = (role: string, name = 'Bola Ade') => inviteBy(owner, { role, name })
  return { shop, owner, key, advance, invite, environmentId: shop.environments.test.id }
}

const referenceOf = ({ userId }: Pick<Person, 'userId'>) => toReference(prefixes.user, userId)

async function changeMember(by: Asking, member: Pick<Person, 'userId'>, body: object) {
  const changed = await by.ask('PATCH', `/v1/team/users/${referenceOf(member)}`, { body })
  expect(changed.status, changed.text).toBe(200)
}

/** A member who followed the link, signed in. */
async function inviteBy(maker: Person, { role, name }: { role: string; name: string }) {
  const email = `${randomUUID()}@example.com`
  const body = { email, role, maySeeLive: true }
  const made = await maker.ask('POST', '/v1/team/invitations', { body })
  const jar = openJar(service.url)
  await jar.submit(new URL(made.json.data.url).pathname, { name, password: goodPassword })
  const [user] = await db.rows(sql<{ id: string }>`select id from users where email = ${email}`)
  return { userId: user!.id, ...withToken(maker, jar.cookies.get('manilla')!) }
}

const withToken = (member: Asking, token: string): Asking => ({
  ask: (method, path, request = {}) => {
    const headers = { cookie: `manilla=${token}`, ...request.headers }
    return member.ask(method, path, { ...request, headers })
  },
})

/** The member in a new session: a new role ends the old ones, and so does time. */
async function signInAgain(member: Asking & { userId: string }): Promise<Asking> {
  const { userId } = member
  const place = { address: '127.0.0.1', browser: 'test' }
  const session = { userId, isOperator: false, hasSecondFactor: true, ...place }
  const token = await db.transaction(async (tx) => createSession(tx, clock.now(), session))
  return withToken(member, token)
}

async function payOut(person: Asking): Promise<Pending> {
  const body = { amount: 2_000_000, ...toBank }
  const { json, text } = await person.ask('POST', '/v1/disbursements/bank-transfer', { body })
  expect(json.data?.status, text).toBe('PENDING')
  return json.data
}

const approve = (person: Asking, { reference, orderHash }: Pending) =>
  person.ask('POST', `/v1/disbursements/${reference}/approve`, { body: { orderHash } })

const read = async (person: Asking, { reference }: Pending) =>
  (await person.ask('GET', `/v1/disbursements/${reference}`)).json.data

const attention = async (person: Asking) => {
  const { items } = (await person.ask('GET', '/v1/attention')).json.data
  return items.map(({ kind }: { kind: string }) => kind)
}

const hoursBetween = (from: string, to: string) =>
  (new Date(to).getTime() - new Date(from).getTime()) / hour

describe('a member who joined a moment ago', () => {
  test('is told from when they may approve, has the time to do so, and approves', async () => {
    const { owner, invite, advance } = await openShop()
    const bola = await invite('finance')
    const joined = clock.now()
    const checked = await owner.ask(
      'GET',
      '/v1/disbursements/approval-check?currency=NGN&amount=2000000',
    )
    const payout = await payOut(owner)
    expect(checked.json.data.approvers).toEqual([
      {
        id: referenceOf(bola),
        name: 'Bola Ade',
        from: new Date(joined.getTime() + 3 * day).toISOString(),
        mayNow: false,
        because: {
          kind: 'joined',
          id: referenceOf(bola),
          name: 'Bola Ade',
          at: joined.toISOString(),
        },
      },
    ])
    const shown = await read(bola, payout)
    expect(shown).toMatchObject({ mayApprove: false, approvers: checked.json.data.approvers })
    expect(shown.approval.expiresAt).toBe(checked.json.data.expiresAt)
    expect(hoursBetween(joined.toISOString(), shown.approval.expiresAt)).toBe(96)
    const [waiting] = (await bola.ask('GET', '/v1/disbursements/waiting')).json.data.items
    expect(waiting).toMatchObject({ mayApprove: false, approvers: shown.approvers })
    expect(await attention(bola)).not.toContain('approval')
    const refused = await approve(bola, payout)
    expect(refused.json).toMatchObject({ reason: 'shared_access' })
    expect(refused.json.message).toContain('because you joined less than an hour ago')

    await advance(3 * day)
    expect(await read(bola, payout)).toMatchObject({ status: 'PENDING', mayApprove: true })
    expect(await attention(bola)).toContain('approval')
    const approved = await approve(bola, payout)
    expect(approved.json.data, approved.text).toMatchObject({ status: 'SUBMITTED' })
    await settle()
    expect(await read(owner, payout)).toMatchObject({ status: 'COMPLETED', approvers: [] })
    await expectAllProofs(db)
  })

  test('is refused by the database, too', async () => {
    const { owner, invite, environmentId } = await openShop()
    const bola = await invite('finance')
    const payout = await payOut(owner)
    const inserted = db.rows(sql`
      insert into payout_approvals (environment_id, payout_id, verdict, user_id, session_id,
        order_hash, decided_at)
      select p.environment_id, p.id, 'APPROVED', s.user_id, s.id, p.order_hash, ${clock.now()}
      from payouts p, user_sessions s
      where p.environment_id = ${environmentId} and s.user_id = ${bola.userId}`)
    await expect(inserted).rejects.toMatchObject({ constraint: 'approver_shares_no_access' })
    const [held] = await db.rows(sql<{ status: string }>`
      select status from payouts where id = ${fromReference(prefixes.bankTransfer, payout.reference)!}`)
    expect(held).toEqual({ status: 'PENDING' })
  })
})

describe('a payout that nobody may approve', () => {
  test('waits for seven days: somebody who is invited meanwhile can still approve it', async () => {
    const { owner, advance, invite } = await openShop()
    const payout = await payOut(owner)
    const { approvers, approval, createdAt } = await read(owner, payout)
    expect(approvers).toEqual([])
    expect(hoursBetween(createdAt, approval.expiresAt)).toBe(7 * 24)
    const bola = await invite('finance')
    await advance(3 * day)
    expect((await approve(bola, payout)).json.data).toMatchObject({ status: 'SUBMITTED' })
    await settle()
  })

  test('ends after seven days, with its money available again', async () => {
    const { owner, advance } = await openShop()
    const payout = await payOut(owner)
    await advance(7 * day - hour)
    expect(await read(owner, payout)).toMatchObject({ status: 'PENDING' })
    await advance(hour)
    expect(await read(owner, payout)).toMatchObject({
      status: 'FAILED',
      failureReason: 'approval_expired',
    })
    await expectAllProofs(db)
  })

  test('because its approver left waits on for the next one, and not for longer', async () => {
    const { owner, advance, shop, environmentId } = await openShop()
    const merchant = shop.reference
    const chidi = await addPerson(service, { role: 'finance', merchant, name: 'Chidi Eze' })
    const payout = await payOut(owner)
    const { approval, createdAt } = await read(owner, payout)
    expect(hoursBetween(createdAt, approval.expiresAt)).toBe(72)
    await changeMember(owner, chidi, { isDisabled: true })
    await advance(3 * day)
    const extended = await read(owner, payout)
    expect(extended).toMatchObject({ status: 'PENDING' })
    expect(hoursBetween(createdAt, extended.approval.expiresAt)).toBe(7 * 24)
    for (const change of ["interval '1 second'", "- interval '1 hour'"])
      await expect(
        db.rows({
          text: `update payouts set approve_by = approve_by + ${change} where environment_id = $1`,
          values: [environmentId],
        }),
      ).rejects.toMatchObject({ constraint: 'pending_payouts_wait_seven_days_at_most' })
    await advance(4 * day)
    expect(await read(owner, payout)).toMatchObject({ failureReason: 'approval_expired' })
  })
})

describe('the right to approve', () => {
  test('that a viewer gets days after joining starts the 72 hours again', async () => {
    const { owner, invite, advance } = await openShop()
    const viewer = await invite('viewer')
    clock.advance(3 * day + hour)
    const ada = await signInAgain(owner)
    await changeMember(ada, viewer, { role: 'finance' })
    const bola = await signInAgain(viewer)
    const payout = await payOut(ada)
    const refused = await approve(bola, payout)
    expect(refused.json).toMatchObject({ reason: 'shared_access' })
    expect(refused.json.message).toContain('because you became an approver')
    expect(await read(bola, payout)).toMatchObject({
      mayApprove: false,
      approvers: [{ name: 'Bola Ade', because: { kind: 'right' } }],
    })
    await advance(3 * day)
    expect((await approve(bola, payout)).json.data).toMatchObject({ status: 'SUBMITTED' })
    await settle()
  })

  // Mallory invites a puppet as viewer and lets an honest owner promote it.
  test('keeps out the member who invited, whoever gives it', async () => {
    const { shop, owner } = await openShop()
    const merchant = shop.reference
    const mallory = await addPerson(service, { role: 'admin', merchant, name: 'Mallory' })
    const puppet = await inviteBy(mallory, { role: 'viewer', name: 'Puppet' })
    clock.advance(3 * day + hour)
    await changeMember(await signInAgain(owner), puppet, { role: 'finance' })
    const payout = await payOut(await signInAgain(mallory))
    const refused = await approve(await signInAgain(puppet), payout)
    expect(refused.json).toMatchObject({ reason: 'shared_access' })
    const { approvers } = await read(await signInAgain(owner), payout)
    expect(approvers.map(({ name }: { name: string }) => name)).toEqual(['Ada Obi', 'Puppet'])
  })

  test('keeps its date while the member keeps it, and loses it with the role', async () => {
    const { owner, shop } = await openShop()
    const merchant = shop.reference
    const bola = await addPerson(service, { role: 'admin', merchant, name: 'Bola Ade' })
    const sinceOf = async () => {
      const [row] = await db.rows(sql<{ since: Date | null; by: string | null }>`
        select approver_since as since, approver_by as by from memberships
        where user_id = ${bola.userId}`)
      return row
    }
    const first = clock.now()
    clock.advance(second)
    await changeMember(owner, bola, { role: 'finance' })
    expect(await sinceOf()).toEqual({ since: first, by: null })
    await changeMember(owner, bola, { role: 'viewer' })
    expect(await sinceOf()).toEqual({ since: first, by: null })
    for (const change of [{ role: 'finance' }, { maySeeLive: false }, { maySeeLive: true }]) {
      clock.advance(second)
      await changeMember(owner, bola, change)
    }
    expect(await sinceOf()).toEqual({ since: clock.now(), by: owner.userId })
    // Processes of an older version write neither.
    await db.rows(sql`update memberships set disabled_at = now() where user_id = ${bola.userId}`)
    await db.rows(sql`update memberships set disabled_at = null where user_id = ${bola.userId}`)
    expect(await sinceOf()).toMatchObject({ by: null })
  })
})

test('a batch waits for its new approvers, too', async () => {
  const { owner, invite, advance } = await openShop()
  const path = '/v1/disbursements/batches'
  const worker = openBatchWorker(service)
  const bola = await invite('finance')
  const items = [{ amount: 2_000_000, ...toBank }]
  const made = await owner.ask('POST', path, { body: { kind: 'bank_transfer', items } })
  const { reference } = made.json.data
  await runBatches(worker, 'test')
  const submitted = await owner.ask('POST', `${path}/${reference}/submit`, { body: {} })
  const waiting = submitted.json.data
  expect(waiting, submitted.text).toMatchObject({ status: 'PENDING' })
  const readBatch = async (person: Asking) =>
    (await person.ask('GET', `${path}/${reference}`)).json.data
  const approveIt = () =>
    bola.ask('POST', `${path}/${reference}/approve`, { body: { orderHash: waiting.orderHash } })
  expect(await readBatch(bola)).toMatchObject({
    mayApprove: false,
    approvers: [{ name: 'Bola Ade', because: { kind: 'joined' } }],
  })
  expect(await attention(bola)).not.toContain('batch_approval')
  expect((await approveIt()).json).toMatchObject({ reason: 'shared_access' })
  await advance(3 * day)
  await expireBatches(db, clock.now())
  expect(await readBatch(bola)).toMatchObject({ status: 'PENDING', mayApprove: true })
  expect(await attention(bola)).toContain('batch_approval')
  expect((await approveIt()).json.data).toMatchObject({ status: 'PROCESSING' })
})

test('a looser rule waits for a new admin', async () => {
  const { owner, invite, advance } = await openShop()
  const bola = await invite('admin')
  const looser = { ...rule, NGN: { each: 900_000_000, perDay: null } }
  const proposed = await owner.ask('PATCH', '/v1/settings/approvals', { body: looser })
  const { id, createdAt, expiresAt } = proposed.json.data.change
  expect(hoursBetween(createdAt, expiresAt)).toBe(96)
  const listed = (await owner.ask('GET', '/v1/settings/changes')).json.data.items
  expect(listed).toMatchObject([{ id, confirmers: [{ name: 'Bola Ade', mayNow: false }] }])
  const confirm = () => bola.ask('POST', `/v1/settings/changes/${id}/confirm`)
  const early = await confirm()
  expect(early.json).toMatchObject({ reason: 'shared_access' })
  expect(early.json.message).toContain('because you joined')
  expect(await attention(bola)).not.toContain('approval')
  await advance(3 * day)
  expect(await attention(bola)).toContain('approval')
  expect((await confirm()).json.data).toMatchObject({ approvals: looser })
})

// Workers extend what is due a few seconds later. Until then no member is asked to create it again.
test('a payout that is given more time is not refused as expired', async () => {
  const { owner, advance, shop, invite } = await openShop()
  const merchant = shop.reference
  const chidi = await addPerson(service, { role: 'finance', merchant, name: 'Chidi Eze' })
  const payout = await payOut(owner)
  await changeMember(owner, chidi, { isDisabled: true })
  const joined = await invite('finance')
  clock.advance(3 * day + second)
  const bola = { ...joined, ...(await signInAgain(joined)) }
  const early = await approve(bola, payout)
  expect([early.status, early.json.reason]).toEqual([409, 'invalid_state'])
  expect(early.json.message).toMatch(/is given more time/)
  await advance(second)
  expect((await approve(bola, payout)).json.data).toMatchObject({ status: 'SUBMITTED' })
  await settle()
})
