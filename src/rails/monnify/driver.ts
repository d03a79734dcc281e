import { day, minute } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import type { BankLimits } from '../../collections/ports.js'
import type { BankDriver } from '../bank/driver.js'
import { closeAccount, openAccount } from './accounts.js'
import { MonnifyCalls, type MonnifyConfig } from './calls.js'
import { listBanks, resolveName } from './directory.js'
import type { DriverDependencies } from './driver-dependencies.js'
import { examine, readFloat } from './examine.js'
import { readNotice } from './notices.js'
import { MonnifyPayments } from './payments.js'
import { findPayout, listPayouts, listReversed, sendPayout } from './payouts.js'
import { findRefund, listRefunds, sendRefund } from './refunds.js'

/** Monnify: invoices and reserved accounts collect, a wallet pays out. */
export function createMonnifyDriver(
  config: MonnifyConfig,
  given: Omit<DriverDependencies, 'limits'>,
): BankDriver {
  const { mode, clock, logger } = given
  const limits = limitsIn(mode)
  const shared: DriverDependencies = { payerEmail: given.payerEmail, mode, clock, logger, limits }
  const calls = new MonnifyCalls(config, shared)
  const dependencies = { ...shared, calls, config }
  const payments = new MonnifyPayments(dependencies)
  const payer = { calls, sourceAccount: config.sourceAccount, logger }
  return {
    provider: 'monnify',
    limits,
    openAccount: (opening) => openAccount(dependencies, opening),
    closeAccount: (account) => closeAccount(calls, account),
    readNotice: (request) => readNotice({ secretKey: config.secretKey, mode }, request),
    fetchPayment: (key) => payments.fetchPayment(key),
    findPayments: (account) => payments.findPayments(account),
    listPayments: (period) => payments.listPayments(period),
    listBanks: () => listBanks(calls),
    resolveName: (account) => resolveName(calls, account),
    prepareInstruction: async () => ({ recipient: null }),
    sendPayout: (instruction) => sendPayout(payer, instruction),
    findPayout: (instruction) => findPayout(payer, instruction),
    listPayouts: (period) => listPayouts(payer, period),
    listReversed: (since) => listReversed(payer, { from: since, to: clock.now() }),
    sendRefund: (instruction) => sendRefund(calls, instruction),
    findRefund: (instruction) => findRefund(calls, instruction),
    listRefunds: (period) => listRefunds(calls, period),
    readFloat: () => readFloat(dependencies),
    examine: () => examine(dependencies),
  }
}

function limitsIn(mode: Mode): BankLimits {
  return {
    // No minimum is documented; an invoice must expire in the future.
    expiryMinMs: minute,
    // Six months are possible, but lists of payments begin this long before the period.
    expiryMaxMs: day,
    // According to support, late and second payments bounce in most cases; to be confirmed.
    bounces: ['underpayment', 'latePayment', 'duplicatePayment'],
    customerNeeds: mode === 'live' ? ['bvn_or_nin'] : [],
    closesTemporary: true,
    closesDedicated: true,
    masksSenders: true,
    refundsById: true,
    // Alphabet and length are not documented; published samples have these.
    referencePattern: /^[A-Za-z0-9-]{1,64}$/,
    isWholeNaira: false,
    collectMin: 20_00n,
    // Not documented; the smallest amount in published samples.
    payoutMin: 1_000n,
    refundMin: 10_000n,
  }
}
