import { after, day } from '../../base/clock.js'
import type { BankFinding } from '../../collections/ports.js'
import { formatMoney } from '../../money/amounts.js'
import { asFields } from '../bank/read-fields.js'
import { needKobo } from './amounts.js'
import { LoginRefused, type MonnifyCalls, type MonnifyConfig, readPage } from './calls.js'
import { listBanks } from './directory.js'
import type { DriverDependencies } from './driver-dependencies.js'

type ExamineDependencies = DriverDependencies & { calls: MonnifyCalls; config: MonnifyConfig }

/** Harmless calls: a login, the wallet's balance, the banks, and the latest payouts. */
export async function examine(dependencies: ExamineDependencies): Promise<BankFinding[]> {
  const { calls } = dependencies
  try {
    const banks = await listBanks(calls)
    return [
      ok(`Monnify accepts the keys and lists ${banks.length} banks.`),
      await examineWallet(dependencies),
      ...(await examinePayouts(dependencies)),
      ...notVisible,
    ]
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error
    return [
      {
        level: 'failure',
        message: 'Monnify refuses the API key or the secret key.',
        fix: "Copy both from the developer page of Monnify's dashboard, for the right mode.",
      },
    ]
  }
}

async function examineWallet({ calls, config }: ExamineDependencies): Promise<BankFinding> {
  const answer = await calls.call(balanceOf(config))
  if (answer.code !== '0')
    return {
      level: 'failure',
      message: `Monnify does not show the wallet that pays out: ${answer.message}`,
      fix: "Set the source account to the number on the wallet page of Monnify's dashboard.",
    }
  const float = readBalance(answer.body)
  if (float > 0n) return ok(`The wallet that pays out holds ${formatMoney(float, 'NGN')}.`)
  return {
    level: 'warning',
    message: 'The wallet that pays out is empty.',
    fix: 'Fund the Monnify wallet, or payouts and refunds fail.',
  }
}

export async function readFloat({ calls, config }: ExamineDependencies): Promise<bigint> {
  return readBalance(await calls.need(balanceOf(config)))
}

function balanceOf({ sourceAccount }: MonnifyConfig) {
  const path = '/api/v2/disbursements/wallet-balance'
  return { method: 'GET', path, query: { accountNumber: sourceAccount } } as const
}

function readBalance(body: unknown): bigint {
  return needKobo(asFields(body).availableBalance, 'availableBalance')
}

/** OTP shows only in payouts that were made. */
async function examinePayouts({
  calls,
  config,
  clock,
}: ExamineDependencies): Promise<BankFinding[]> {
  const now = clock.now()
  const answer = await calls.call({
    method: 'GET',
    path: '/api/v2/disbursements/search-transactions',
    query: {
      sourceAccountNumber: config.sourceAccount,
      startDate: `${after(now, -7 * day).getTime()}`,
      endDate: `${now.getTime()}`,
      pageNo: '0',
      pageSize: '20',
    },
  })
  // A wrong wallet is reported by `examineWallet`.
  if (answer.code !== '0') return []
  const { rows } = readPage(answer.body)
  const isWaiting = rows.some(({ status }) => status === 'PENDING_AUTHORIZATION')
  if (!isWaiting) return []
  return [
    {
      level: 'failure',
      message: 'Payouts wait for a one-time password at Monnify.',
      fix: 'Ask integration-support@monnify.com to switch OTP off for transfers.',
    },
  ]
}

/** Settings at Monnify that no harmless call shows. */
const notVisible: BankFinding[] = [
  ok(
    'Not checked: OTP, and whether this server may pay out. ' +
      'Ask integration-support@monnify.com to switch OTP off and to allow its address.',
  ),
  ok(
    'Monnify sends too little, late and second payments back to the payer: the policies ' +
      'underpayment, latePayment and duplicatePayment never apply. Overpayments arrive. ' +
      'Ask Monnify whether your contract rejects underpayments.',
  ),
]

function ok(message: string): BankFinding {
  return { level: 'ok', message, fix: '' }
}
