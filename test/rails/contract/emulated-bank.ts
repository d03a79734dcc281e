import { createHmac } from 'node:crypto'
import { noFaults } from '../../../emulators/faults.js'
import { openEmulator, variablesFor } from '../../../emulators/open-emulator.js'
import { type Provider, type ProviderConfigs, readProviders } from '../../../src/base/config.js'
import type { Mode } from '../../../src/base/environment.js'
import { type PaymentVariance, paymentVariances } from '../../../src/collections/ports.js'
import type { BankDriver } from '../../../src/rails/bank/driver.js'
import { toProviderReference } from '../../../src/rails/bank/instruction.js'
import { createBankRail } from '../../../src/rails/bank/rail.js'
import { createFlutterwaveDriver } from '../../../src/rails/flutterwave/driver.js'
import { createMonnifyDriver } from '../../../src/rails/monnify/driver.js'
import { createPaystackDriver } from '../../../src/rails/paystack/driver.js'
import type { BankTools, BankUnderTest } from './bank-under-test.js'

const mode = 'live'
/** Seconds at a provider take milliseconds here; a one-time password expires after some seconds. */
const speed = 200

const lacks: Record<Provider, BankUnderTest['lacks']> = {
  paystack: { 'reports wrong amounts': 'sends wrong amounts back itself' },
  monnify: {
    'doubles refunds': 'refuses a second refund with our reference',
  },
  flutterwave: {},
}

/** Monnify's and Flutterwave's bank sends the other payments back without a word. */
const announced: Record<Provider, readonly PaymentVariance[]> = {
  paystack: paymentVariances,
  monnify: ['underpayment'],
  flutterwave: [],
}

function openDriver(
  provider: Provider,
  config: ProviderConfigs,
  tools: Parameters<typeof createPaystackDriver>[1],
): BankDriver {
  if (provider === 'paystack') return createPaystackDriver(config.paystack!, tools)
  if (provider === 'monnify') return createMonnifyDriver(config.monnify!, tools)
  return createFlutterwaveDriver(config.flutterwave!, tools)
}

type Sign = (variables: Record<string, string>, body: string) => Record<string, string>

const signatures: Record<Provider, Sign> = {
  paystack: ({ PAYSTACK_SECRET_KEY: key }, body) => ({ 'x-paystack-signature': hmac(key!, body) }),
  monnify: ({ MONNIFY_SECRET_KEY: key }, body) => ({ 'monnify-signature': hmac(key!, body) }),
  flutterwave: ({ FLUTTERWAVE_WEBHOOK_SECRET: secret }) => ({ 'verif-hash': secret! }),
}

function hmac(key: string, body: string): string {
  return createHmac('sha512', key).update(body).digest('hex')
}

/**
 * A provider's rail in live mode, against its emulator. `reach` may put something between the two:
 * it returns the URL at which the emulator is reached.
 */
export async function openEmulatedBank(
  provider: Provider,
  { db, clock, logger }: BankTools,
  reach: (url: string) => Promise<string> = async (url) => url,
): Promise<BankUnderTest> {
  const emulator = await openEmulator(provider, { clock, speed })
  const url = await reach(emulator.url)
  const open = (openMode: Mode, given: Record<string, string>) => {
    const variables = { ...given, [`${provider.toUpperCase()}_URL`]: url }
    const upper = openMode === 'live' ? 'LIVE' : 'TEST'
    const config = readProviders(variablesFor({ variables }, upper), upper)
    const tools = { payerEmail: 'payer@example.com', mode: openMode, clock, logger }
    const driver = openDriver(provider, config, tools)
    return { driver, rail: createBankRail({ driver, mode: openMode, db, clock, logger }) }
  }
  const { driver, rail } = open(mode, emulator.variables)
  const otherKeys = Object.entries(emulator.variables).map(([name, value]) => [
    name,
    /KEY|SECRET/.test(name) ? `${value}0` : value,
  ])
  const { faults } = emulator
  return {
    provider,
    mode,
    rail,
    otherRail: open('test', Object.fromEntries(otherKeys)).rail,
    lacks: lacks[provider],
    announcesBounce: (variance) => announced[provider].includes(variance),
    faults,
    sendNoticesTo: (url) => emulator.sendNoticesTo(url),
    pay: (payment) => emulator.pay(payment),
    recipient(kind) {
      if (kind === 'held') faults.arePayoutsHeld = true
      if (kind === 'unknown') faults.resolve = 'fails'
      return { bankCode: '058', accountNumber: '0123456789' }
    },
    settle: async (reference, state) => emulator.settle(toProviderReference(reference), state),
    reverse: async (reference) => emulator.reverse(toProviderReference(reference)),
    secrets: Object.entries(emulator.variables)
      .filter(([name]) => /KEY|SECRET/.test(name))
      .map(([, value]) => value),
    setFloat: (kobo) => emulator.setFloat(kobo),
    async refundAgain(order) {
      await driver.sendRefund(order)
    },
    sign: (body) => signatures[provider](emulator.variables, body),
    drainNotices: () => emulator.drainNotices(),
    books: async () => emulator.books(),
    async close() {
      Object.assign(faults, noFaults())
      await rail.stop()
      await emulator.close()
    },
  }
}
