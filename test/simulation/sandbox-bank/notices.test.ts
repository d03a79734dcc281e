import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { second } from '../../../src/base/clock.js'
import { sql } from '../../../src/postgres/sql.js'
import { sandboxBankLimits } from '../../../src/simulation/sandbox-bank/limits.js'
import { nextAttemptAt } from '../../../src/simulation/sandbox-bank/notice-sender.js'
import { manualClock } from '../../support/clock.js'
import { freshDatabase } from '../../support/database.js'
import { openReceiver } from '../../support/receiver.js'
import { until } from '../../support/sessions.js'
import { openBank } from './open-bank.js'
import { openAccount, payIn, paymentInto } from './pay-in.js'

const {
  noticeLeaseMs,
  noticeRetryDelayMs,
  noticeAttemptsMax,
  noticeRetryDelayMaxMs,
  noticesPerBatchMax,
} = sandboxBankLimits

/** A bank on its own database that sends notices to its own receiver. */
async function openSending(answer?: (response: ServerResponse) => void) {
  const db = await freshDatabase()
  const receiver = await openReceiver(answer)
  const opened = openBank(db)
  opened.bank.sendNoticesTo(receiver.url)
  const idsSeen = () =>
    receiver.received.map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id)
  return { db, receiver, idsSeen, ...opened }
}

type Open = Awaited<ReturnType<typeof openSending>>

function remainingNotices({ db }: Pick<Open, 'db'>) {
  return db.rows(sql<{ copies: number; tries: number; isUnderWay: boolean }>`
    select copies, tries, is_under_way from sandbox_notices`)
}

async function untilAllAccepted(open: Pick<Open, 'db'>): Promise<void> {
  await until(async () => (await remainingNotices(open)).length === 0)
}

/** Long enough for several polls. */
const aWhileMs = 3 * sandboxBankLimits.noticeIntervalMs

describe('a payment', () => {
  test('sends one notice by itself', async () => {
    const open = await openSending()
    const { id } = await payIn(open.bank)
    await untilAllAccepted(open)
    await sleep(aWhileMs)
    expect(open.idsSeen()).toEqual([id])
  })

  // The next poll never comes, so only the payment itself can wake the sender.
  test('sends its notice at once, not at the next poll', async () => {
    const start = globalThis.setTimeout
    const withoutPolls = ((work: () => void, delayMs?: number, ...given: []) =>
      delayMs === sandboxBankLimits.noticeIntervalMs
        ? start(() => {}, 0)
        : start(work, delayMs, ...given)) as typeof setTimeout
    globalThis.setTimeout = withoutPolls
    onTestFinished(() => {
      globalThis.setTimeout = start
    })
    const open = await openSending()
    const accountNumber = await openAccount(open.bank)
    for (let count = 1; count <= 10; count += 1) {
      await payIn(open.bank, { accountNumber })
      await until(() => open.receiver.received.length === count)
    }
  })

  test('that is repeated sends no second notice', async () => {
    const open = await openSending()
    const payment = paymentInto(await openAccount(open.bank))
    await open.bank.receivePayment(payment)
    await untilAllAccepted(open)
    await open.bank.receivePayment({ ...payment, copies: 3 })
    await open.bank.sendNoticesNow(payment.id)
    expect(open.idsSeen()).toEqual([payment.id])
  })

  // The receiver answers none until all fifty have arrived, which sequential copies never would.
  test('sends fifty copies of its notice at the same time', async () => {
    const waiting: ServerResponse[] = []
    const open = await openSending((response) => {
      waiting.push(response)
      if (waiting.length === 50) for (const one of waiting) one.end()
    })
    const { id } = await payIn(open.bank, { copies: 50 })
    await open.bank.sendNoticesNow(id)
    expect(await remainingNotices(open)).toEqual([])
    expect(new Set(open.receiver.received.map(({ body }) => body)).size).toBe(1)
    expect(open.idsSeen()).toEqual(Array.from({ length: 50 }, () => id))
  })

  test('sends its notice after the requested delay, not before', async () => {
    const open = await openSending()
    const { id } = await payIn(open.bank, { delayMs: 5 * second })
    await open.bank.sendNoticesNow(id)
    open.clock.advance(5 * second - 1)
    await sleep(aWhileMs)
    expect(open.idsSeen()).toEqual([])
    open.clock.advance(1)
    await untilAllAccepted(open)
    expect(open.idsSeen()).toEqual([id])
  })

  test('that is silent sends no notice and is found by query', async () => {
    const open = await openSending()
    const silent = await payIn(open.bank, { isSilent: true })
    const other = await payIn(open.bank, { accountNumber: silent.railAccount })
    await open.bank.sendNoticesNow(silent.id)
    await untilAllAccepted(open)
    open.clock.advance(365 * 24 * 3_600 * second)
    await sleep(aWhileMs)
    expect(open.idsSeen()).toEqual([other.id])
    expect(await open.bank.findPayments(silent.railAccount)).toEqual([silent, other])
  })

  test('among many sends its notice', async () => {
    const open = await openSending()
    const accountNumber = await openAccount(open.bank)
    const many = Array.from({ length: 5 * noticesPerBatchMax }, () =>
      payIn(open.bank, { accountNumber }),
    )
    const ids = (await Promise.all(many)).map(({ id }) => id)
    await untilAllAccepted(open)
    expect(open.idsSeen().toSorted()).toEqual(ids.toSorted())
  })
})

describe('sending now', () => {
  test('resolves when the last copy was answered', async () => {
    let answered = 0
    const open = await openSending((response) => {
      setTimeout(() => {
        answered += 1
        response.end()
      }, 50)
    })
    const { id } = await payIn(open.bank, { copies: 5 })
    await Promise.all([open.bank.sendNoticesNow(id), open.bank.sendNoticesNow(id)])
    expect(answered).toBe(5)
    await open.bank.sendNoticesNow(id)
    expect(answered).toBe(5)
  })

  // The other process has claimed the notice. Sending it too would be an extra copy; resolving at
  // once would be before it was delivered.
  test('waits for another process that is sending it', async () => {
    const open = await openSending()
    const accountNumber = await openAccount(open.bank)
    await open.bank.stop()
    let isAnswered = false
    const slow = await openReceiver((response) => {
      setTimeout(() => {
        isAnswered = true
        response.end()
      }, 300)
    })
    const other = openBank(open.db).bank
    other.sendNoticesTo(slow.url)
    const mine = openBank(open.db).bank
    const { id } = await payIn(other, { accountNumber })
    await until(() => slow.received.length === 1)
    mine.sendNoticesTo(open.receiver.url)
    await mine.sendNoticesNow(id)
    expect(isAnswered).toBe(true)
    expect(open.receiver.received).toEqual([])
  })

  test('is a bug before the bank has a URL to send to', async () => {
    const { bank } = openBank(await freshDatabase())
    const { id } = await payIn(bank)
    await expect(bank.sendNoticesNow(id)).rejects.toThrow('was started')
  })
})

describe('a notice that is not accepted', () => {
  test.each([500, 404, 302, 300])('is sent again after %i, later', async (status) => {
    let isWell = false
    const open = await openSending((response) => {
      response.writeHead(isWell ? 200 : status, { location: '/elsewhere' }).end()
    })
    const { id } = await payIn(open.bank)
    await open.bank.sendNoticesNow(id)
    expect(await remainingNotices(open)).toEqual([{ copies: 1, tries: 1, isUnderWay: false }])
    isWell = true
    open.clock.advance(noticeRetryDelayMs - 1)
    await sleep(aWhileMs)
    expect(open.idsSeen()).toEqual([id])
    open.clock.advance(1)
    await untilAllAccepted(open)
    expect(open.idsSeen()).toEqual([id, id])
  })

  test('is sent again in as many copies as were not accepted', async () => {
    let count = 0
    const open = await openSending((response) => {
      count += 1
      response.writeHead(count <= 3 ? 503 : 200).end()
    })
    const { id } = await payIn(open.bank, { copies: 10 })
    await open.bank.sendNoticesNow(id)
    expect(await remainingNotices(open)).toMatchObject([{ copies: 3 }])
    open.clock.advance(noticeRetryDelayMs)
    await untilAllAccepted(open)
    expect(count).toBe(13)
  })

  test('because the connection broke is sent again', async () => {
    let isWell = false
    const open = await openSending((response) => {
      if (isWell) response.end()
      else response.destroy()
    })
    const { id } = await payIn(open.bank)
    await open.bank.sendNoticesNow(id)
    isWell = true
    open.clock.advance(noticeRetryDelayMs)
    await untilAllAccepted(open)
    expect(open.logged).toEqual([])
  })

  test('is retried less and less often, then given up', async () => {
    const now = manualClock().now()
    const waits = Array.from({ length: noticeAttemptsMax }, (_, index) => {
      const next = nextAttemptAt(now, index + 1)
      return next && next.getTime() - now.getTime()
    })
    expect(waits.slice(0, 4)).toEqual([1, 2, 4, 8].map((times) => times * noticeRetryDelayMs))
    expect(waits.at(-2)).toBe(noticeRetryDelayMaxMs)
    expect(waits.at(-1)).toBeNull()

    const open = await openSending((response) => response.writeHead(500).end())
    const { id } = await payIn(open.bank, { delayMs: second })
    await open.db.rows(sql`update sandbox_notices set tries = ${noticeAttemptsMax - 1}`)
    open.clock.advance(second)
    await untilAllAccepted(open)
    await until(() => open.logged.length === 1)
    expect(open.logged[0]).toContain('given up')
    expect(open.logged[0]).toContain(id)
  })
})

describe('another process', () => {
  test('sends the remaining notices', async () => {
    const db = await freshDatabase()
    const { bank: first } = openBank(db)
    const accountNumber = await openAccount(first)
    const payments = [
      await payIn(first, { accountNumber }),
      await payIn(first, { accountNumber, copies: 3 }),
    ]
    await first.stop()
    const receiver = await openReceiver()
    const { bank } = openBank(db)
    bank.sendNoticesTo(receiver.url)
    await untilAllAccepted({ db })
    const bodies = receiver.received.map(({ body }) => JSON.parse(body).data.id as string)
    const [one, three] = payments.map(({ id }) => id)
    expect(bodies.toSorted()).toEqual([one, three, three, three].toSorted())
  })

  test('takes over when the lease of one that died ends', async () => {
    const db = await freshDatabase()
    const silentReceiver = await openReceiver(() => {})
    const dying = openBank(db)
    dying.bank.sendNoticesTo(silentReceiver.url)
    const { id } = await payIn(dying.bank)
    await until(() => silentReceiver.received.length === 1)

    const receiver = await openReceiver()
    const successor = openBank(db)
    successor.bank.sendNoticesTo(receiver.url)
    successor.clock.advance(noticeLeaseMs - 1)
    await sleep(aWhileMs)
    expect(receiver.received).toHaveLength(0)
    successor.clock.advance(1)
    await untilAllAccepted({ db })
    expect(receiver.received).toHaveLength(1)
    await successor.bank.sendNoticesNow(id)
    expect(receiver.received).toHaveLength(1)
  })

  // The first process was slow, not dead. Its late success must not end the attempt of its
  // successor, which was not accepted.
  test('is not disturbed by one that outlived its lease', async () => {
    const db = await freshDatabase()
    const late: ServerResponse[] = []
    const silentReceiver = await openReceiver((response) => {
      late.push(response)
    })
    const slow = openBank(db)
    slow.bank.sendNoticesTo(silentReceiver.url)
    await payIn(slow.bank)
    await until(() => late.length === 1)

    const receiver = await openReceiver((response) => response.writeHead(503).end())
    const successor = openBank(db)
    successor.bank.sendNoticesTo(receiver.url)
    successor.clock.advance(noticeLeaseMs)
    await until(async () => (await remainingNotices({ db }))[0]!.tries === 2)
    await until(async () => !(await remainingNotices({ db }))[0]!.isUnderWay)
    late[0]!.end()
    await slow.bank.stop()
    expect(await remainingNotices({ db })).toEqual([{ copies: 1, tries: 2, isUnderWay: false }])
  })

  test('on the same table sends nothing twice', async () => {
    const db = await freshDatabase()
    const receiver = await openReceiver()
    const banks = Array.from({ length: 4 }, () => openBank(db).bank)
    for (const bank of banks) bank.sendNoticesTo(receiver.url)
    const accountNumber = await openAccount(banks[0]!)
    const many = Array.from({ length: 300 }, async (_, index) => {
      const { id } = await payIn(banks[index % 4]!, { accountNumber })
      if (index % 3 === 0) await banks[(index + 1) % 4]!.sendNoticesNow(id)
      return id
    })
    const ids = await Promise.all(many)
    await untilAllAccepted({ db })
    const seen = receiver.received.map(({ body }) => JSON.parse(body).data.id as string)
    expect(seen.toSorted()).toEqual(ids.toSorted())
  })
})

describe('a stop', () => {
  test('waits for requests under way and sends nothing after', async () => {
    const open = await openSending((response) => {
      setTimeout(() => response.end(), 200)
    })
    const accountNumber = await openAccount(open.bank)
    await payIn(open.bank, { accountNumber })
    await until(() => open.receiver.received.length === 1)
    await open.bank.stop()
    expect(await remainingNotices(open)).toEqual([])
    await payIn(open.bank, { accountNumber })
    await sleep(aWhileMs)
    expect(open.receiver.received).toHaveLength(1)
    expect(await remainingNotices(open)).toHaveLength(1)
  })

  test('aborts requests without an answer, which become due again', async () => {
    const open = await openSending(() => {})
    await payIn(open.bank, { copies: 2 })
    await until(() => open.receiver.received.length === 2)
    await Promise.all([open.bank.stop(), open.bank.stop()])
    expect(await remainingNotices(open)).toEqual([{ copies: 2, tries: 1, isUnderWay: false }])
  })
})
