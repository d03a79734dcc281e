import { strict as assert } from 'node:assert'
import { magicWallets } from '../../../../src/simulation/magic-wallets.js'
import type { TestChain } from '../../../simulation/localnet/localnet.js'
import type { Path } from '../run-path.js'
import { type Depositor, depositPath } from './depositing.js'
import { workUntil } from './payouts.js'

const [held, returning, returned] = [
  'payment.held',
  'payment.returning',
  'payment.returned',
] as const

/** Transactions to it land and fail. */
const failingWallet = magicWallets[0]!.address

const paidWallet = { wallet: 'PAID', walletEvents: ['crypto_wallet.paid'] }
/** 25 USDC and their fee. */
const paid = { status: 'ACCEPTED', accepted: '25', fee: '0.125' }

async function openPaid(depositor: Depositor) {
  const wallet = await depositor.openWallet()
  await depositor.deposit(wallet, '25')
  return wallet
}

/** Coins that payers send, until they are swept. */
export function depositPaths(chain: TestChain): Path[] {
  return [
    depositPath(chain, {
      name: 'wallet is opened, paid and swept',
      opensInRun: true,
      run: (depositor, wallet) => depositor.deposit(wallet, '25'),
      ends: { ...paidWallet, payments: [paid], balance: { available: '34.875' } },
    }),
    depositPath(chain, {
      name: 'deposit is credited when it is final',
      async run(depositor, wallet, world) {
        await depositor.send(wallet.address, '25')
        const countFinal = () => depositor.coinsAt(wallet.address, 'USDC', 'finalized')
        const isFinal = async () => {
          const { length } = await depositor.paymentsInto(wallet)
          const hasArrived = (await countFinal()) > 0n
          // While an answer is late, it may have become final and been swept.
          const isSwept = (await depositor.coinsAt(wallet.address)) === 0n
          assert(hasArrived || isSwept || length === 0, 'credited before it is final')
          return hasArrived || (isSwept && length > 0)
        }
        await workUntil(world, isFinal, { blocks: 4 })
        await world.untilQuiet(async () => (await depositor.paymentsInto(wallet)).length > 0)
      },
      ends: { ...paidWallet, payments: [paid], balance: { available: '34.875' } },
    }),
    depositPath(chain, {
      name: 'wallet is underpaid, and the coins are accepted',
      async run(depositor, wallet) {
        await depositor.deposit(wallet, '24.999999')
        const [payment] = await depositor.paymentsInto(wallet)
        await depositor.resolve(payment!.reference, { action: 'accept' })
      },
      ends: {
        wallet: 'PAID',
        walletEvents: ['crypto_wallet.underpaid', 'crypto_wallet.paid'],
        payments: [{ status: 'ACCEPTED', accepted: '24.999999', fee: '0.125', events: [held] }],
        balance: { available: '34.874999' },
      },
    }),
    depositPath(chain, {
      name: 'wallet gets two deposits before it is polled',
      async run(depositor, wallet) {
        await depositor.send(wallet.address, '25')
        await depositor.deposit(wallet, '25')
      },
      ends: {
        wallet: 'PAID',
        walletEvents: ['crypto_wallet.paid', 'crypto_wallet.duplicate_payment'],
        payments: [paid, { status: 'HELD', held: '25', events: [held] }],
        balance: { available: '34.875', pending: '25' },
      },
    }),
    depositPath(chain, {
      name: 'cancelled wallet is paid',
      async run(depositor, wallet) {
        await depositor.post(`/v1/collections/crypto-wallets/${wallet.reference}/cancel`)
        await depositor.deposit(wallet, '25')
      },
      ends: {
        wallet: 'CANCELLED',
        walletEvents: ['crypto_wallet.cancelled', 'crypto_wallet.late_payment'],
        payments: [{ status: 'HELD', held: '25', events: [held] }],
        balance: { available: '10', pending: '25' },
      },
    }),
    depositPath(chain, {
      name: 'dedicated wallet is opened and gets both coins',
      open: (depositor) => depositor.openDedicated(),
      opensInRun: true,
      async run(depositor, wallet) {
        await depositor.deposit(wallet, '25')
        await depositor.deposit(wallet, '2', 'USDT')
      },
      ends: {
        wallet: 'ACTIVE',
        walletEvents: [
          'dedicated_crypto_wallet.created',
          'dedicated_crypto_wallet.credited',
          'dedicated_crypto_wallet.credited',
        ],
        payments: [paid, { status: 'ACCEPTED', accepted: '2', fee: '0.01' }],
        balance: { available: '34.875', usdt: '1.99' },
      },
    }),
    depositPath(chain, {
      name: 'checkout session is opened and paid with coins',
      open: (depositor) => depositor.openSession(),
      opensInRun: true,
      run: (depositor, wallet) => depositor.deposit(wallet, '25'),
      ends: {
        ...paidWallet,
        payments: [paid],
        session: {
          status: 'paid',
          events: ['checkout.session.paid'],
          accountEvents: ['virtual_account.cancelled'],
        },
        balance: { available: '34.875' },
      },
    }),
    depositPath(chain, {
      name: 'wallet gets a coin that it is not for',
      async run(depositor, wallet, world) {
        await depositor.send(wallet.address, '2', 'USDT')
        await world.untilQuiet(async () => {
          const path = `/v1/collections/crypto-wallets/${wallet.reference}`
          const { otherDeposits = [] } = await depositor.get(path)
          return otherDeposits.length > 0
        })
      },
      ends: {
        wallet: 'ACTIVE',
        walletEvents: [],
        payments: [],
        balance: { available: '10' },
        otherDeposits: [{ asset: 'USDT', units: '2000000', reason: 'another_currency' }],
      },
    }),
  ]
}

/** Coins that go back to payers. */
export function coinReturnPaths(chain: TestChain): Path[] {
  return [
    depositPath(chain, {
      name: 'held coins are returned',
      async open(depositor) {
        const wallet = await depositor.openWallet()
        await depositor.deposit(wallet, '30')
        return wallet
      },
      async run(depositor, wallet) {
        const [payment] = await depositor.paymentsInto(wallet)
        const { payee: destination } = depositor
        await depositor.resolve(payment!.reference, { action: 'return', destination })
      },
      ends: {
        wallet: 'PAID',
        walletEvents: ['crypto_wallet.overpaid', 'crypto_wallet.paid'],
        payments: [{ ...paid, returned: '5', events: [held, returning, returned] }],
        balance: { available: '34.875' },
        arrivedUnits: 5_000_000n,
      },
    }),
    depositPath(chain, {
      name: 'deposit is refunded in part',
      open: openPaid,
      async run(depositor, wallet) {
        const [payment] = await depositor.paymentsInto(wallet)
        const { payee: destination } = depositor
        await depositor.refund(payment!.reference, { amount: '20', destination })
      },
      ends: {
        ...paidWallet,
        payments: [
          { ...paid, accepted: '5', returned: '20', events: [returning, 'payment.refunded'] },
        ],
        balance: { available: '14.875' },
        arrivedUnits: 20_000_000n,
      },
    }),
    depositPath(chain, {
      name: 'refund of a deposit fails on the chain and is sent elsewhere',
      open: openPaid,
      async run(depositor, wallet, world) {
        const [payment] = await depositor.paymentsInto(wallet)
        const refund = (destination: { address: string }) =>
          depositor.refund(payment!.reference, { destination })
        await refund({ address: failingWallet })
        await world.untilQuiet()
        await refund(depositor.payee)
      },
      ends: {
        ...paidWallet,
        payments: [
          {
            status: 'RETURNED',
            returned: '25',
            fee: '0.125',
            events: [returning, 'payment.refund_failed', returning, 'payment.refunded'],
          },
        ],
        balance: { available: '9.875' },
        arrivedUnits: 25_000_000n,
      },
    }),
  ]
}
