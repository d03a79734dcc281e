import type { Path } from '../run-path.js'
import {
  type Collector,
  collectionPath,
  elsewhere,
  expected,
  failingAccount,
  feeOfExpected,
  funded,
  reversingAccount,
} from './collecting.js'

const tooLittle = 300_000
const [held, returning, returned] = ['payment.held', 'payment.returning', 'payment.returned']
const refunded = 'payment.refunded'
const net = expected - feeOfExpected

type Account = { reference: string; accountNumber: string }

export async function firstPayment(collector: Collector, { reference }: Account) {
  const [payment] = await collector.paymentsInto(reference)
  return payment!
}

/** An account that was paid exactly, before the faults. */
export async function openPaid(collector: Collector): Promise<Account> {
  const account = await collector.openVirtual()
  await collector.pay(account)
  return account
}

async function openPaidFromFailing(collector: Collector): Promise<Account> {
  const account = await collector.openVirtual()
  await collector.pay(account, { senderAccountNumber: failingAccount })
  return account
}

const paidAccount = { account: 'PAID', accountEvents: ['virtual_account.paid'] }
const underpaidAccount = { account: 'ACTIVE', accountEvents: ['virtual_account.underpaid'] }

/** Payments that go back to payers of the sandbox bank. */
export const returns: Path[] = [
  collectionPath({
    name: 'underpaid, and returned by policy',
    run: (collector, account) => collector.pay(account, { amount: tooLittle }),
    ends: {
      ...underpaidAccount,
      payments: [{ status: 'RETURNED', returned: tooLittle, events: [returning!, returned!] }],
      balance: { available: funded },
      sentByBank: [tooLittle],
    },
  }),
  collectionPath({
    name: 'overpaid, and the excess returned by policy',
    run: (collector, account) => collector.pay(account, { amount: expected + 1 }),
    ends: {
      account: 'PAID',
      accountEvents: ['virtual_account.overpaid', 'virtual_account.paid'],
      payments: [
        {
          status: 'ACCEPTED',
          accepted: expected,
          returned: 1,
          fee: feeOfExpected,
          events: [returning!, returned!],
        },
      ],
      balance: { available: funded + net },
      sentByBank: [1],
    },
  }),
  collectionPath({
    name: 'return fails and is sent elsewhere',
    async run(collector, account) {
      const payment = { amount: tooLittle, senderAccountNumber: failingAccount }
      await collector.pay(account, payment)
      const { reference } = await firstPayment(collector, account)
      await collector.resolve(reference, { action: 'return', destination: elsewhere })
    },
    ends: {
      ...underpaidAccount,
      payments: [
        {
          status: 'RETURNED',
          returned: tooLittle,
          events: [returning!, held!, returning!, returned!],
        },
      ],
      balance: { available: funded },
      sentByBank: [tooLittle, tooLittle],
    },
  }),
  collectionPath({
    name: 'return is reversed and held again',
    async run(collector, account, world) {
      const payment = { amount: tooLittle, senderAccountNumber: reversingAccount }
      await collector.pay(account, payment)
      await world.untilQuiet(async () => (await firstPayment(collector, account)).status === 'HELD')
    },
    ends: {
      ...underpaidAccount,
      payments: [{ status: 'HELD', held: tooLittle, events: [returning!, returned!, held!] }],
      balance: { available: funded, pending: tooLittle },
      sentByBank: [tooLittle],
    },
  }),
  collectionPath({
    name: 'held payment is returned on request',
    policy: { underpayment: 'hold' },
    async open(collector) {
      const account = await collector.openVirtual()
      await collector.pay(account, { amount: tooLittle })
      return account
    },
    async run(collector, account) {
      const { reference } = await firstPayment(collector, account)
      await collector.resolve(reference, { action: 'return' })
    },
    ends: {
      ...underpaidAccount,
      payments: [
        { status: 'RETURNED', returned: tooLittle, events: [held!, returning!, returned!] },
      ],
      balance: { available: funded },
      sentByBank: [tooLittle],
    },
  }),
  collectionPath({
    name: 'payment is refunded in full',
    open: openPaid,
    async run(collector, account) {
      await collector.refund((await firstPayment(collector, account)).reference)
    },
    ends: {
      ...paidAccount,
      payments: [
        {
          status: 'RETURNED',
          returned: expected,
          fee: feeOfExpected,
          events: [returning!, refunded],
        },
      ],
      balance: { available: funded - feeOfExpected },
      sentByBank: [expected],
    },
  }),
  collectionPath({
    name: 'payment is refunded in two parts',
    open: openPaid,
    async run(collector, account, world) {
      const { reference } = await firstPayment(collector, account)
      await collector.refund(reference, { amount: 200_000 })
      await world.untilQuiet()
      await collector.refund(reference, { amount: 100_000, destination: elsewhere })
      await collector.expectNoRefund(reference, { amount: 200_001 })
    },
    ends: {
      ...paidAccount,
      payments: [
        {
          status: 'ACCEPTED',
          accepted: 200_000,
          returned: 300_000,
          fee: feeOfExpected,
          events: [returning!, refunded, returning!, refunded],
        },
      ],
      balance: { available: funded + net - 300_000 },
      sentByBank: [200_000, 100_000],
    },
  }),
  collectionPath({
    name: 'refund fails, and the money is accepted again',
    open: openPaidFromFailing,
    async run(collector, account) {
      const { reference } = await firstPayment(collector, account)
      await collector.refund(reference, { amount: 200_000 })
    },
    ends: {
      ...paidAccount,
      payments: [
        {
          status: 'ACCEPTED',
          accepted: expected,
          fee: feeOfExpected,
          events: [returning!, 'payment.refund_failed'],
        },
      ],
      balance: { available: funded + net },
      sentByBank: [200_000],
    },
  }),
]
