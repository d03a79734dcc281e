import { strict as assert } from 'node:assert'
import type { Path } from '../run-path.js'
import { collectionPath, expected, feeOfExpected, funded } from './collecting.js'

const paid = { status: 'ACCEPTED', accepted: expected, fee: feeOfExpected }
const net = expected - feeOfExpected

/** Dedicated accounts, checkout sessions, and payments that the bank sends back. */
export const accounts: Path[] = [
  collectionPath({
    name: 'dedicated account is opened and paid twice',
    open: (collector) => collector.openDedicated(),
    opensInRun: true,
    async run(collector, account) {
      await collector.pay(account)
      await collector.pay(account, { amount: 100 })
    },
    ends: {
      account: 'ACTIVE',
      accountEvents: [
        'dedicated_account.created',
        'dedicated_account.credited',
        'dedicated_account.credited',
      ],
      payments: [paid, { status: 'ACCEPTED', accepted: 100, fee: 1 }],
      balance: { available: funded + net + 99 },
    },
  }),
  collectionPath({
    name: 'dedicated account is deactivated and paid',
    open: (collector) => collector.openDedicated(),
    async run(collector, account) {
      await collector.post(`/v1/collections/dedicated-accounts/${account.reference}/deactivate`)
      await collector.pay(account)
    },
    ends: {
      account: 'INACTIVE',
      accountEvents: ['dedicated_account.created', 'dedicated_account.deactivated'],
      payments: [{ status: 'HELD', held: expected, events: ['payment.held'] }],
      balance: { available: funded, pending: expected },
    },
  }),
  collectionPath({
    name: 'checkout session is opened and paid',
    open: (collector) => collector.openSession(),
    opensInRun: true,
    async run(collector, account) {
      await collector.pay(account)
    },
    ends: {
      account: 'PAID',
      accountEvents: ['virtual_account.paid'],
      session: { status: 'paid', events: ['checkout.session.paid'] },
      payments: [paid],
      balance: { available: funded + net },
    },
  }),
  collectionPath({
    name: 'checkout session expires',
    open: (collector) => collector.openSession({ expiresAt: undefined }),
    run: (collector, account) => collector.untilExpired(account),
    ends: {
      account: 'EXPIRED',
      accountEvents: ['virtual_account.expired'],
      session: { status: 'expired', events: ['checkout.session.expired'] },
      payments: [],
      balance: { available: funded },
    },
  }),
  collectionPath({
    name: 'checkout session is cancelled and paid',
    policy: { latePayment: 'return' },
    open: (collector) => collector.openSession(),
    async run(collector, account) {
      await collector.post(`/v1/checkout/sessions/${account.session}/cancel`)
      await collector.pay(account)
    },
    ends: {
      account: 'CANCELLED',
      accountEvents: ['virtual_account.cancelled', 'virtual_account.late_payment'],
      session: { status: 'cancelled', events: ['checkout.session.cancelled'] },
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
  collectionPath({
    name: 'payment is sent back by the sandbox bank',
    async run(collector, { accountNumber }) {
      const { status } = await collector.ask('POST', '/v1/test/bank-transfers', {
        accountNumber,
        amount: 400_000,
        sentBack: true,
      })
      assert.equal(status, 409)
    },
    ends: {
      account: 'ACTIVE',
      accountEvents: ['virtual_account.payment_rejected'],
      payments: [],
      balance: { available: funded },
    },
  }),
]
