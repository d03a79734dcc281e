import type { BankFinding } from '../../collections/ports.js'
import { formatMoney } from '../../money/amounts.js'
import type { FlutterwaveApi } from './api.js'
import { listFlutterwaveBanks, readFlutterwaveFloat } from './directory.js'

/** What our account at Flutterwave is ready for, by calls that move nothing. */
export async function examineFlutterwave(api: FlutterwaveApi): Promise<BankFinding[]> {
  const float = await readFlutterwaveFloat(api)
  const banks = await listFlutterwaveBanks(api)
  return [
    ok('Flutterwave accepts the secret key.'),
    float > 0n
      ? ok(`The balance at Flutterwave is ${formatMoney(float, 'NGN')}.`)
      : {
          level: 'warning',
          message:
            'The balance at Flutterwave is empty: it accepts transfers and fails them later.',
          fix: 'Fund the NGN balance in the dashboard of Flutterwave.',
        },
    ok(`Flutterwave lists ${banks.length} banks.`),
    await examineTransfers(api),
    await examineApproval(api),
    ok(
      'Flutterwave sends late and second payments into a temporary account back to the payer: ' +
        'the policies latePayment and duplicatePayment do not apply.',
    ),
  ]
}

/** An instruction without account, amount and currency: it can only be refused. */
async function examineTransfers(api: FlutterwaveApi): Promise<BankFinding> {
  const { message } = await api.call({ method: 'POST', path: '/transfers', body: {} })
  if (/whitelist/i.test(message))
    return {
      level: 'failure',
      message: `Flutterwave refuses transfers from the address of this machine: ${message}`,
      fix: 'Add the address under Settings, Whitelisted IP addresses, in the dashboard of Flutterwave.',
    }
  if (/approved|compliance|not enabled|disabled/i.test(message))
    return {
      level: 'failure',
      message: `Flutterwave does not let this business make transfers: ${message}`,
      fix: 'Complete the verification of the business and enable transfers by API in the dashboard.',
    }
  return ok('Flutterwave does not refuse transfers from the address of this machine.')
}

/** The newest transfers show whether they must be approved by hand. */
async function examineApproval(api: FlutterwaveApi): Promise<BankFinding> {
  const { rows } = await api.list('/transfers', {}, 1)
  const waiting = rows.filter((row) => row.requires_approval === '1' && row.is_approved === '0')
  if (waiting.length === 0) return ok('No transfer waits for approval at Flutterwave.')
  return {
    level: 'failure',
    message: 'Transfers wait for approval by a person at Flutterwave.',
    fix: 'Approve them, and switch off the approval of transfers by API in the dashboard.',
  }
}

function ok(message: string): BankFinding {
  return { level: 'ok', message, fix: '' }
}
