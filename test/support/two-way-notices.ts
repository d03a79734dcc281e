import { randomUUID } from 'node:crypto'
import { insertNotices } from '../../src/collections/notices/store-notices.js'
import { bookStoredNotices } from '../../src/collections/payments/record-payments.js'
import type { ReportedPayment } from '../../src/collections/ports.js'
import type { Opened, ServiceWithBankAndChain } from './open-with-bank-and-chain.js'

export type Notice = {
  rail: string
  mode: 'test'
  id: string
  reported: ReportedPayment
  body: null
}

/** Hand-written notices of bank and chain, with chosen times and amounts. */
export function openTwoWayNotices({ db, clock, bank, wallets }: ServiceWithBankAndChain) {
  const rails = new Map([[bank.name, bank]])

  async function write(notices: Notice[]): Promise<void> {
    const at = { now: clock.now(), dueAt: clock.now() }
    await db.transaction(async (tx) => insertNotices(tx, at, notices))
  }

  /** Judges all in one transaction. */
  const take = (names: Notice[]) =>
    db.transaction((tx) => bookStoredNotices(tx, clock.now(), { names, rails }))

  return {
    write,
    take,

    bankNotice: ({ number }: Opened, receivedAt = clock.now()) =>
      noticeOf(bank.name, {
        railAccount: number,
        amount: 1_250_000n,
        currency: 'NGN',
        receivedAt,
      }),

    coinNotice: ({ address }: Opened, receivedAt = clock.now()) =>
      noticeOf(wallets.name, {
        railAccount: address,
        amount: 3_200_000n,
        currency: 'USDC',
        receivedAt,
      }),

    async keep(notices: Notice[]): Promise<void> {
      await write(notices)
      await take(notices)
    },
  }
}

type Reported = Pick<ReportedPayment, 'railAccount' | 'amount' | 'currency' | 'receivedAt'>

function noticeOf(rail: string, said: Reported): Notice {
  const id = randomUUID()
  const reported = { id, sender: null, bankSessionId: null, narration: null, ...said }
  return { rail, mode: 'test', id, reported, body: null }
}
