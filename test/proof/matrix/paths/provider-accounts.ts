import type { Provider } from '../../../../emulators/emulator.js'
import type { Path } from '../run-path.js'
import { type Collector, collectionPath, expected, feeOfExpected, funded } from './collecting.js'

const providers: Provider[] = ['paystack', 'monnify', 'flutterwave']
const paid = { status: 'ACCEPTED', accepted: expected, fee: feeOfExpected }
const net = expected - feeOfExpected

/** Providers open dedicated accounts only for customers whose identity they can check. */
async function openDedicated(collector: Collector) {
  const { accountReference, accountNumber } = await collector.post(
    '/v1/collections/dedicated-accounts',
    {
      externalReference: 'customer-1',
      customer: {
        name: 'Ada Obi',
        email: 'ada@example.com',
        phone: '+2348012345678',
        bvn: '22222222222',
      },
    },
  )
  return { reference: accountReference, accountNumber }
}

const isPaid = (bank: Provider) =>
  collectionPath({
    name: `dedicated account at ${bank} is opened and paid`,
    bank,
    open: openDedicated,
    opensInRun: true,
    // Its notice is lost: one that arrives takes the same way as for other accounts.
    run: (collector, account) => collector.pay(account, { copies: 0 }),
    ends: {
      account: 'ACTIVE',
      accountEvents: ['dedicated_account.created', 'dedicated_account.credited'],
      payments: [paid],
      balance: { available: funded + net },
    },
  })

const isDeactivated = (bank: Provider) =>
  collectionPath({
    name: `dedicated account at ${bank} is deactivated`,
    bank,
    open: openDedicated,
    async run(collector, { reference }) {
      await collector.post(`/v1/collections/dedicated-accounts/${reference}/deactivate`)
    },
    ends: {
      account: 'INACTIVE',
      accountEvents: ['dedicated_account.created', 'dedicated_account.deactivated'],
      payments: [],
      balance: { available: funded },
    },
  })

const isCancelled = (bank: Provider) =>
  collectionPath({
    name: `account at ${bank} is cancelled`,
    bank,
    async run(collector, { reference }) {
      await collector.post(`/v1/collections/virtual-accounts/${reference}/cancel`)
    },
    ends: {
      account: 'CANCELLED',
      accountEvents: ['virtual_account.cancelled'],
      payments: [],
      balance: { available: funded },
    },
  })

/** The merchant asks for the payment whose notice was lost, before workers would find it. */
const isRequeried = (bank: Provider) =>
  collectionPath({
    name: `payment at ${bank} that the merchant asks for`,
    bank,
    async run(collector, { reference, accountNumber }, world) {
      await world.pay({ accountNumber, amount: expected, copies: 0 })
      await collector.post(`/v1/collections/virtual-accounts/${reference}/requery`)
      await world.untilQuiet(async () => (await collector.paymentsInto(reference)).length > 0)
    },
    ends: {
      account: 'PAID',
      accountEvents: ['virtual_account.paid'],
      payments: [paid],
      balance: { available: funded + net },
    },
  })

/** Accounts that the merchant closes at the provider, or asks it about. */
export const providerQueries: Path[] = [
  ...providers.map(isCancelled),
  ...providers.map(isRequeried),
]

/** Accounts of customers, which stay. */
export const providerAccounts: Path[] = [...providers.map(isPaid), ...providers.map(isDeactivated)]
