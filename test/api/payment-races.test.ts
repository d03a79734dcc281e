import { afterEach, expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { openNoticeBoard } from '../support/notices.js'
import { openWithBank } from '../support/open-with-bank.js'
import { behaves, openDesk } from '../support/payment-desk.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { announce, noticeOf } = openNoticeBoard(service)
afterEach(() => expectAllProofs(service.db))

type Reply = Awaited<ReturnType<typeof service.ask>>

// Payers pay right and wrong amounts, repeatedly; the merchant cancels, accepts, returns, refunds and
// advances the clock; two workers run: all concurrently, over few accounts, so that everything
// collides. No request may end in an internal error, and every kobo must be accounted for.
test.each([1, 2])('under any concurrency, ledger and payments agree (%i)', async (seed) => {
  const desk = await openDesk(service)
  const pick = choose(seed)
  await desk.setPolicy({ underpayment: 'hold', overpayment: 'hold', duplicatePayment: 'return' })
  const accounts = await Promise.all(Array.from({ length: 5 }, () => desk.open()))
  const { unreachable: _, ...reachable } = behaves
  const payments = async (): Promise<{ reference: string; status: string }[]> =>
    (await desk.get('/v1/collections/payments?limit=100')).json.data.items
  const act = async (status: string, action: (reference: string) => Promise<Reply>) => {
    const own = (await payments()).filter((one) => one.status === status)
    return own.length > 0 ? action(pick(own).reference) : undefined
  }
  const pay = async () => {
    const change = { amount: pick(['300000', '500000', '700000']), sender: pick([null, from()]) }
    const notice = noticeOf(pick(accounts).accountNumber, change)
    await Promise.all([announce(notice), announce(notice)])
    return undefined
  }
  const from = () => ({
    name: 'OBI EMEKA',
    bankCode: '999',
    bankName: 'Sandbox Bank',
    accountNumber: pick(['0123456789', ...Object.values(reachable)]),
  })
  const destination = { bankCode: '058', accountNumber: '0123456789' }
  const deeds: (() => Promise<Reply | undefined>)[] = [
    pay,
    pay,
    pay,
    () => act('HELD', (name) => desk.resolve(name, { action: 'accept' })),
    () => act('HELD', (name) => desk.resolve(name, { action: 'return', destination })),
    () => act('ACCEPTED', (name) => desk.refund(name, { amount: 100_000, destination })),
    () => act('ACCEPTED', (name) => desk.refund(name, {})),
    () => desk.post(`/v1/collections/virtual-accounts/${pick(accounts).reference}/cancel`, {}),
    () => desk.post(`/v1/collections/virtual-accounts/${pick(accounts).reference}/requery`, {}),
    () => desk.post('/v1/test/clock/advance', { seconds: 120 }),
    () => service.pass(1).then(() => undefined),
    () => service.pass(1).then(() => undefined),
  ]
  const doSome = async () => {
    const replies: (Reply | undefined)[] = []
    for (let done = 0; done < 7; done += 1) replies.push(await pick(deeds)())
    return replies
  }
  const replies = (await Promise.all(Array.from({ length: 10 }, doSome))).flat()
  const statuses = new Set(replies.flatMap((reply) => reply?.status ?? []))
  expect([...statuses].filter((status) => status >= 500)).toEqual([])
  const counted = await service.db.rows(sql<{ deadlocks: bigint }>`
    select deadlocks from pg_stat_database where datname = current_database()`)
  expect(counted).toEqual([{ deadlocks: 0n }])
  await expectAllProofs(service.db)
  for (let minutes = 0; minutes < 30; minutes += 1) {
    service.clock.advance(60_000)
    await service.work()
  }
  const open = (await payments()).filter(({ status }) => status === 'RETURNING')
  for (const { reference } of open)
    expect(await desk.returnsOf(reference)).toContainEqual(
      expect.objectContaining({ status: 'SENT' }),
    )
})

/** Same seed, same choices, as far as scheduling allows. */
function choose(seed: number) {
  let state = seed
  return <Item>(items: Item[]): Item => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return items[Math.floor((state / 2_147_483_648) * items.length)]!
  }
}
