import { type Clock, hour } from '../../base/clock.js'
import type { ProviderConfigs } from '../../base/config.js'
import type { Mode } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import type { BankLimits } from '../../collections/ports.js'
import { BankNames } from '../bank/bank-names.js'
import type { BankDriver } from '../bank/driver.js'
import { ProviderClient } from '../bank/provider-client.js'
import { BoundedMap } from '../bounded-map.js'
import { closeFlutterwaveAccount, expiryMinMs, openFlutterwaveAccount } from './accounts.js'
import { FlutterwaveApi } from './api.js'
import { listFlutterwaveBanks, readFlutterwaveFloat, resolveFlutterwaveName } from './directory.js'
import { examineFlutterwave } from './examine.js'
import { readFlutterwaveNotice } from './notices.js'
import {
  fetchFlutterwavePayment,
  findFlutterwavePayments,
  listFlutterwavePayments,
} from './payments.js'
import {
  findFlutterwavePayout,
  listFlutterwavePayouts,
  listFlutterwaveReversals,
  sendFlutterwavePayout,
} from './payouts.js'
import {
  findFlutterwaveRefund,
  listFailedFlutterwaveRefunds,
  listFlutterwaveRefunds,
  sendFlutterwaveRefund,
} from './refunds.js'

const flutterwaveLimits: BankLimits = {
  expiryMinMs,
  // The longest time is not documented; an hour is that of its other temporary accounts.
  expiryMaxMs: hour,
  // Documented as accounts that expire after use; wrong amounts are received.
  bounces: ['latePayment', 'duplicatePayment'],
  customerNeeds: ['name', 'email', 'bvn_or_nin'],
  closesTemporary: false,
  closesDedicated: true,
  masksSenders: true,
  refundsById: true,
  referencePattern: /^[A-Za-z0-9._-]{1,100}$/,
  // The published schema has integers; whether kobo are accepted is not documented.
  isWholeNaira: true,
  collectMin: 100n,
  payoutMin: 10_000n,
  refundMin: 1n,
}

const refundIdsKept = 10_000

/** Flutterwave, version 3 of its API. */
export function createFlutterwaveDriver(
  { secretKey, webhookSecret, url }: NonNullable<ProviderConfigs['flutterwave']>,
  {
    payerEmail,
    mode,
    clock,
    logger,
  }: { payerEmail: string; mode: Mode; clock: Clock; logger: Logger },
): BankDriver {
  const client = new ProviderClient({ name: `flutterwave-${mode}`, url, clock, logger })
  const api = new FlutterwaveApi(client, secretKey)
  const refundIds = new BoundedMap<string, string>(refundIdsKept)
  const banks = new BankNames(() => listFlutterwaveBanks(api), clock)
  const dependencies = { api, banks, clock, payerEmail, refundIds }
  return {
    provider: 'flutterwave',
    limits: flutterwaveLimits,
    openAccount: (opening) => openFlutterwaveAccount(dependencies, opening),
    closeAccount: (account) => closeFlutterwaveAccount(api, account),
    readNotice: (request) => readFlutterwaveNotice(webhookSecret, request),
    fetchPayment: (id) => fetchFlutterwavePayment(dependencies, id),
    findPayments: (account) => findFlutterwavePayments(dependencies, account),
    listPayments: (period) => listFlutterwavePayments(dependencies, period),
    listBanks: () => listFlutterwaveBanks(api),
    resolveName: (account) => resolveFlutterwaveName(api, account),
    prepareInstruction: async () => ({ recipient: null }),
    sendPayout: (instruction) => sendFlutterwavePayout(api, instruction),
    findPayout: (instruction) => findFlutterwavePayout(api, instruction),
    listPayouts: (period) => listFlutterwavePayouts(api, period),
    async listReversed(since) {
      const found = await Promise.all([
        listFlutterwaveReversals(api, clock.now(), since),
        listFailedFlutterwaveRefunds(dependencies, since),
      ])
      return found.flat()
    },
    sendRefund: (instruction) => sendFlutterwaveRefund(dependencies, instruction),
    findRefund: (instruction) => findFlutterwaveRefund(dependencies, instruction),
    listRefunds: (period) => listFlutterwaveRefunds(dependencies, period),
    readFloat: () => readFlutterwaveFloat(api),
    examine: () => examineFlutterwave(api),
  }
}
