import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { after } from '../../src/base/clock.js'
import { toJson } from '../../src/base/json-text.js'
import { Refusal } from '../../src/base/refusal.js'
import { createAccounts } from '../../src/collections/accounts/create-accounts.js'
import { createAccountPreparation } from '../../src/collections/accounts/prepare-accounts.js'
import { Rails } from '../../src/collections/rails.js'
import { openNoticeBoard } from '../support/notices.js'
import { openWithBank } from '../support/open-with-bank.js'
import { type Desk, openDesk } from '../support/payment-desk.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { announce, keep, noticeOf, stateOf } = openNoticeBoard(service)
let desk: Desk
beforeEach(async () => {
  desk = await openDesk(service)
})
afterEach(() => expectAllProofs(service.db))

async function paymentsOf(): Promise<Record<string, unknown>[]> {
  return (await desk.get('/v1/collections/payments?limit=100')).json.data.items
}

// The bank opens the account and a payer pays before our transaction has committed.
test('a notice that overtakes its account is judged once the account exists', async () => {
  const prepare = createAccountPreparation({
    db: service.db,
    seal: service.seal,
    rails: new Rails({ test: { collectBank: service.bank } }),
  })
  const now = service.clock.now()
  const prepared = await prepare(now, {
    environment: desk.merchant.environments.test,
    kind: 'virtual_account',
    name: 'Ada',
    merchantReference: 'early',
    metadata: toJson({}),
    retryKey: undefined,
    expected: { amount: 500_000n, expiresAt: after(now, 60_000) },
  })
  if (prepared instanceof Refusal) throw prepared
  const commit = new EventEmitter()
  const creating = service.db.transaction(async (tx) => {
    await createAccounts(tx, now, [prepared])
    await once(commit, 'now')
  })
  const notice = noticeOf(prepared.account.number)
  await announce(notice)
  await service.pass(2)
  expect(await stateOf(notice.id)).toBe('UNMATCHED')
  expect(await paymentsOf()).toEqual([])
  commit.emit('now')
  await creating
  await service.pass(8)
  expect(await stateOf(notice.id)).toBe('BOOKED')
  expect(await paymentsOf()).toMatchObject([{ status: 'ACCEPTED', amount: 500_000 }])
  expect(await desk.sums()).toEqual([495_000, 0, 0])
})

test('a notice stored before a crash is judged by the next worker', async () => {
  const { accountNumber } = await desk.open()
  const id = `sbp_crash${desk.environmentId}`
  await keep(id, accountNumber)
  await service.work()
  expect(await stateOf(id)).toBe('WAITING')
  await service.pass(2)
  expect(await stateOf(id)).toBe('BOOKED')
  expect(await desk.sums()).toEqual([495_000, 0, 0])
})

// A naira balance is limited to safe JSON integers. A payment that does not fit waits, and its
// neighbours in the batch, of the same merchant and of others, are judged as usual.
test('a notice that cannot be posted blocks no other notice', async () => {
  const most = 9_007_199_254_740_991n
  const fixed = (await desk.openDedicated('rich')).json.data
  const neighbour = await openDesk(service)
  const theirs = (await neighbour.openDedicated('poor')).json.data
  await announce(noticeOf(fixed.accountNumber, { amount: String(most) }))
  const name = (index: number) => `sbp_poison${desk.environmentId}x${index}`
  for (let index = 0; index < 9; index += 1)
    await (index === 4
      ? keep(name(index), fixed.accountNumber, { amount: most })
      : keep(name(index), theirs.accountNumber, { amount: 100n }))
  await service.pass(2)
  const states = await Promise.all(Array.from({ length: 9 }, (_, index) => stateOf(name(index))))
  expect(states).toEqual(states.map((_, index) => (index === 4 ? 'WAITING' : 'BOOKED')))
  expect(await neighbour.sums()).toEqual([8 * 99, 0, 0])
  expect((await desk.sums())[0]).toBe(Number(most) - 30_000)
  const { status, json } = await desk.payIn(fixed.accountNumber, { amount: 1_000_000_000 })
  expect([status, json.code, json.reason]).toEqual([422, 'account_action_failed', 'balance_limit'])
})

// The process that stores a notice judges it at once, while a worker may also find it due: twenty
// accounts, and each of forty notices in both lanes, more than once.
test('two lanes racing for the same notices post each once', async () => {
  const accounts = await Promise.all(Array.from({ length: 20 }, () => desk.open()))
  const notices = accounts.flatMap(({ accountNumber }) => [
    noticeOf(accountNumber),
    noticeOf(accountNumber),
  ])
  await Promise.all([...notices, ...notices].map(announce))
  service.clock.advance(2_000)
  await Promise.all([service.work(), ...notices.map(announce)])
  const all = await paymentsOf()
  expect(all).toHaveLength(40)
  expect(all.filter(({ status }) => status === 'ACCEPTED')).toHaveLength(20)
  expect((await desk.sums())[0]).toBe(20 * 495_000)
})

// One bank may serve both modes, and its notices may be judged in one batch.
test('a live notice never matches a test account', async () => {
  const { reference, accountNumber } = await desk.open()
  const live = `sbp_live${desk.environmentId}`
  const own = `sbp_own${desk.environmentId}`
  await keep(own, accountNumber)
  await keep(live, accountNumber, { mode: 'live' })
  const rail = service.bank.name
  await Promise.all([
    service.lane.run({ rail, mode: 'live', id: live }),
    service.lane.run({ rail, mode: 'test', id: own }),
  ])
  expect([await stateOf(own), await stateOf(live)]).toEqual(['BOOKED', 'UNMATCHED'])
  expect(await desk.verify(reference)).toMatchObject({ amountReceived: 500_000, status: 'PAID' })
})
