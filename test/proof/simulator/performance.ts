import type { SimulatedBank } from './bank.js'
import type { SimulatedChain } from './chain.js'
import type { Draws } from './draws.js'
import type { Answer, Client, Merchant } from './merchant.js'
import type { Oracle } from './oracle.js'
import type { VirtualTime } from './virtual-time.js'

/** One operation of a merchant or payer, drawn from the seed and its number alone. */
export type Performance = {
  /** Unique; the idempotency key of the first request. */
  name: string
  /** To be called when the operation has had an effect. */
  noteAccepted(): void
  draws: Draws
  sleep(durationMs: number): Promise<void>
  merchant: Merchant
  client: Client
  oracle: Oracle
  bank: SimulatedBank
  chain: SimulatedChain
  time: VirtualTime
}

/** Posts with the name of the operation as idempotency key. */
export async function post(
  performance: Performance,
  path: string,
  body: object,
  key?: string,
): Promise<Answer> {
  const { client, merchant, name, noteAccepted } = performance
  const answer = await client.post(merchant, path, { name, body, caller: performance, key })
  if (answer.status < 300) noteAccepted()
  return answer
}

/** A payer transfers naira from an account of their own. */
export function payInto(performance: Performance, railAccount: string, amount: bigint): void {
  const accountNumber = drawBankAccount(performance.draws)
  performance.noteAccepted()
  performance.bank.pay({
    railAccount,
    amount,
    sender: { name: 'OBI EMEKA', accountNumber, bankCode: '058', bankName: 'Simulated Bank' },
  })
}

export function drawBankAccount(draws: Draws): string {
  return String(draws.integer(1_000_000_000, 1_000_000_050))
}
