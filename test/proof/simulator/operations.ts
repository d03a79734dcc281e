import type { Draws } from './draws.js'
import type { Client, Merchant } from './merchant.js'
import type { Oracle } from './oracle.js'
import type { Violations } from './violations.js'

/** One operation of a merchant or payer, drawn from the seed and its number alone. */
export type Performance = {
  name: string
  draws: Draws
  merchant: Merchant
  client: Client
  oracle: Oracle
  violations: Violations
}

type Operation = { share: number; perform(performance: Performance): Promise<void> }

export const operations = {
  'fund balance': {
    share: 10,
    async perform({ name, draws, merchant, client, oracle }) {
      const amount = draws.integer(1_000_000, 100_000_000)
      const path = '/v1/test/balances/fund'
      const { status } = await client.post(merchant, path, {
        name,
        body: { asset: 'NGN', amount },
        draws,
      })
      if (status === 201) oracle.noteFunding(merchant, 'NGN', BigInt(amount))
    },
  },
  'bank payout': {
    share: 60,
    async perform({ name, draws, merchant, client, oracle }) {
      const { status, json } = await client.post(merchant, '/v1/disbursements/bank-transfer', {
        name,
        draws,
        body: {
          amount: draws.integer(100, 6_000_000),
          bankCode: '058',
          accountNumber: String(draws.integer(1_000_000_000, 1_000_000_050)),
          merchantReference: name,
        },
      })
      if (status !== 201) return
      const { reference, amount, fee } = json.data
      const amounts = { amount: BigInt(amount), fee: BigInt(fee) }
      oracle.notePayout({ merchant, reference, kind: 'bank_transfer', asset: 'NGN', ...amounts })
    },
  },
} as const satisfies Record<string, Operation>

export type OperationKind = keyof typeof operations

const kinds = Object.keys(operations) as OperationKind[]
const sharesTotal = kinds.reduce((sum, kind) => sum + operations[kind].share, 0)

export function drawKind(draws: Draws): OperationKind {
  let ticket = draws.integer(1, sharesTotal)
  for (const kind of kinds) {
    ticket -= operations[kind].share
    if (ticket <= 0) return kind
  }
  throw new Error('the shares do not add up')
}
