import type { Path } from '../run-path.js'
import { collectionPath, expected, feeOfExpected, funded } from './collecting.js'

const paid = { status: 'ACCEPTED', accepted: expected, fee: feeOfExpected }
const net = expected - feeOfExpected

/** Payments that banks report, into accounts that expect one amount. */
export const payments: Path[] = [
  collectionPath({
    name: 'account at the sandbox bank is opened and paid',
    opensInRun: true,
    async run(collector, account) {
      await collector.pay(account)
    },
    ends: {
      account: 'PAID',
      accountEvents: ['virtual_account.paid'],
      payments: [paid],
      balance: { available: funded + net },
    },
  }),
  collectionPath({
    name: 'payment is reported twice',
    run: (collector, account) => collector.pay(account, { copies: 2 }),
    ends: {
      account: 'PAID',
      accountEvents: ['virtual_account.paid'],
      payments: [paid],
      balance: { available: funded + net },
    },
  }),
  collectionPath({
    name: 'payment at the sandbox bank whose notice is lost',
    run: (collector, account) => collector.pay(account, { copies: 0 }),
    ends: {
      account: 'PAID',
      accountEvents: ['virtual_account.paid'],
      payments: [paid],
      balance: { available: funded + net },
    },
  }),
  collectionPath({
    name: 'overpaid, the excess is held and accepted',
    policy: { overpayment: 'hold' },
    async run(collector, account) {
      await collector.pay(account, { amount: expected + 200_000 })
      const [payment] = await collector.paymentsInto(account.reference)
      await collector.resolve(payment!.reference, { action: 'accept' })
    },
    ends: {
      account: 'PAID',
      accountEvents: ['virtual_account.overpaid', 'virtual_account.paid'],
      payments: [
        {
          status: 'ACCEPTED',
          accepted: 700_000,
          fee: 7_000,
          events: ['payment.held'],
        },
      ],
      balance: { available: funded + 693_000 },
    },
  }),
  collectionPath({
    name: 'underpaid and accepted by policy',
    policy: { underpayment: 'accept' },
    run: (collector, account) => collector.pay(account, { amount: 300_000 }),
    ends: {
      account: 'PAID',
      accountEvents: ['virtual_account.underpaid', 'virtual_account.paid'],
      payments: [{ status: 'ACCEPTED', accepted: 300_000, fee: 3_000 }],
      balance: { available: funded + 297_000 },
    },
  }),
  collectionPath({
    name: 'second payment is held',
    policy: { duplicatePayment: 'hold' },
    async run(collector, account) {
      await collector.pay(account)
      await collector.pay(account)
    },
    ends: {
      account: 'PAID',
      accountEvents: ['virtual_account.paid', 'virtual_account.duplicate_payment'],
      payments: [paid, { status: 'HELD', held: expected, events: ['payment.held'] }],
      balance: { available: funded + net, pending: expected },
    },
  }),
  collectionPath({
    name: 'payment into a cancelled account is held',
    policy: { latePayment: 'hold' },
    async run(collector, account) {
      await collector.post(`/v1/collections/virtual-accounts/${account.reference}/cancel`)
      await collector.pay(account)
    },
    ends: {
      account: 'CANCELLED',
      accountEvents: ['virtual_account.cancelled', 'virtual_account.late_payment'],
      payments: [{ status: 'HELD', held: expected, events: ['payment.held'] }],
      balance: { available: funded, pending: expected },
    },
  }),
  collectionPath({
    name: 'payment into an expired account is returned',
    policy: { latePayment: 'return' },
    open: (collector) => collector.openVirtual({ expiresAt: undefined }),
    async run(collector, account) {
      await collector.untilExpired(account)
      await collector.pay(account)
    },
    ends: {
      account: 'EXPIRED',
      accountEvents: ['virtual_account.expired', 'virtual_account.late_payment'],
      payments: [
        {
          status: 'RETURNED',
          returned: expected,
          events: ['payment.returning', 'payment.returned'],
        },
      ],
      balance: { available: funded },
      sentByBank: [expected],
    },
  }),
]
