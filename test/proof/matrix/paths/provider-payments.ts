import type { Provider } from '../../../../emulators/emulator.js'
import type { Path } from '../run-path.js'
import { collectionPath, expected, feeOfExpected, funded } from './collecting.js'

const providers: Provider[] = ['paystack', 'monnify', 'flutterwave']
const [returning, returned] = ['payment.returning', 'payment.returned'] as const
const paid = { status: 'ACCEPTED', accepted: expected, fee: feeOfExpected }
const net = expected - feeOfExpected

const ends = {
  account: 'PAID',
  accountEvents: ['virtual_account.paid'],
  payments: [paid],
  balance: { available: funded + net },
}

const paidByHint = (bank: Provider) =>
  collectionPath({
    name: `account at ${bank} is opened and paid`,
    bank,
    opensInRun: true,
    run: (collector, account) => collector.pay(account),
    ends,
  })

const paidWithoutNotice = (bank: Provider) =>
  collectionPath({
    name: `payment at ${bank} whose notice is lost`,
    bank,
    run: (collector, account) => collector.pay(account, { copies: 0 }),
    ends,
  })

/** Payments that providers only hint at. */
export const providerPayments: Path[] = [
  ...providers.map(paidByHint),
  ...providers.map(paidWithoutNotice),
]

/** Payments that providers send back, by themselves or because we ask for it. */
export const providerReturns: Path[] = [
  collectionPath({
    name: 'payment is sent back by paystack',
    bank: 'paystack',
    async run(collector, { reference, accountNumber }, world) {
      await world.pay({ accountNumber, amount: 400_000 })
      // No row is open for a notice that was lost with its process: Paystack sends it again.
      await world.untilQuiet(async () => (await collector.eventTypes(reference)).length > 0)
    },
    ends: {
      account: 'ACTIVE',
      accountEvents: ['virtual_account.payment_rejected'],
      payments: [],
      balance: { available: funded },
    },
  }),
  collectionPath({
    name: 'payment at paystack is refunded',
    bank: 'paystack',
    async open(collector) {
      const account = await collector.openVirtual()
      await collector.pay(account)
      return account
    },
    async run(collector, account) {
      const [payment] = await collector.paymentsInto(account.reference)
      await collector.refund(payment!.reference, { amount: 200_000 })
    },
    ends: {
      ...ends,
      payments: [
        {
          ...paid,
          accepted: 300_000,
          returned: 200_000,
          events: [returning, 'payment.refunded'],
        },
      ],
      balance: { available: funded + net - 200_000 },
      sentByBank: [200_000],
    },
  }),
  collectionPath({
    name: 'overpaid at monnify, and the excess returned',
    bank: 'monnify',
    policy: { overpayment: 'return' },
    run: (collector, account) => collector.pay(account, { amount: expected + 20_000 }),
    ends: {
      ...ends,
      accountEvents: ['virtual_account.overpaid', 'virtual_account.paid'],
      payments: [{ ...paid, returned: 20_000, events: [returning, returned] }],
      sentByBank: [20_000],
    },
  }),
  // Flutterwave lists payments without their sender: one whose notice is lost cannot be returned.
  collectionPath({
    name: 'held payment at flutterwave is returned on request',
    bank: 'flutterwave',
    policy: { underpayment: 'hold' },
    async open(collector) {
      const account = await collector.openVirtual()
      await collector.pay(account, { amount: 300_000 })
      return account
    },
    async run(collector, account) {
      const [payment] = await collector.paymentsInto(account.reference)
      await collector.resolve(payment!.reference, { action: 'return' })
    },
    ends: {
      account: 'ACTIVE',
      accountEvents: ['virtual_account.underpaid'],
      payments: [
        { status: 'RETURNED', returned: 300_000, events: ['payment.held', returning, returned] },
      ],
      balance: { available: funded },
      sentByBank: [300_000],
    },
  }),
]
