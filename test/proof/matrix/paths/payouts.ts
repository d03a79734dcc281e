import { strict as assert } from 'node:assert'
import { sql } from '../../../../src/postgres/sql.js'
import { toProviderReference } from '../../../../src/rails/bank/instruction.js'
import { createKeySigner } from '../../../../src/rails/solana/keys/signer.js'
import { mainnetMints } from '../../../../src/rails/solana/programs.js'
import { newSecret } from '../../../rails/solana/rail.js'
import type { World } from '../world.js'
import type { merchantOf } from './merchant.js'

type Merchant = ReturnType<typeof merchantOf>

/** A merchant's payout, as it comes out of `prepare`: the reference is known when it is created. */
export type Paying = { merchant: Merchant; reference: string }

const roundsMax = 40
const roundMs = 3_000

/**
 * Lets time pass and workers work until something is so, while payouts may be open. The first round
 * comes before the first check: a payout may still be on its way to the bank, and faster or slower
 * runs would come by other crash points. `blocks`: how many the chain makes in each round.
 */
export async function workUntil(
  world: World,
  isDone: () => Promise<boolean>,
  { blocks = 1 } = {},
): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    world.clock.advance(roundMs)
    await world.outside.chain?.advance(blocks)
    await world.work()
    await world.outside.emulator?.drainNotices()
    if (await isDone()) return
  }
  throw new Error('what the path waits for did not happen')
}

export const bankPath = '/v1/disbursements/bank-transfer'

/** The provider ends the payout, as soon as it knows it. */
export async function settleAtProvider(
  world: World,
  reference: string,
  state: 'success' | 'failed',
): Promise<void> {
  const { emulator } = world.outside
  const token = toProviderReference(reference)
  await workUntil(world, async () => emulator!.settle(token, state))
}

/** Waits until the merchant sees the payout completed; then the receiving bank returns it. */
export async function reverseAtProvider(
  world: World,
  { merchant, reference }: Paying,
): Promise<void> {
  await workUntil(world, async () => {
    const { status } = await merchant.get(`${bankPath}/${reference}`)
    return status === 'COMPLETED'
  })
  assert(world.outside.emulator!.reverse(toProviderReference(reference)))
}

type AtBank = { reference: string; amount: bigint; accountNumber: string; state: string }

/** The bank carried out one transfer under the payout's reference, as the merchant asked. */
export async function checkAtBank(
  world: World,
  reference: string,
  expected: { amount: number; accountNumber: string; state: string },
): Promise<void> {
  const token = toProviderReference(reference)
  const { emulator } = world.outside
  const transfers = emulator
    ? emulator.books().payouts
    : await world.db.rows(sql<AtBank>`
        select reference, amount, instruction::json ->> 'accountNumber' as account_number, case
            when reversal_number is not null then 'reversed'
            when ending = 'completed' then 'success'
            else ending end as state
        from sandbox_transfers`)
  assert.deepEqual(
    transfers.map((transfer) => ({
      reference: transfer.reference,
      amount: Number(transfer.amount),
      accountNumber: transfer.accountNumber,
      state: transfer.state,
    })),
    [{ reference: token, ...expected }],
  )
}

/** State, events and balance of the payout that a merchant made from `funded` kobo. */
export async function checkBankPayout(
  { merchant, reference }: Paying,
  expected: { status: string; events: string[]; funded: number },
): Promise<void> {
  const payout = await merchant.get(`${bankPath}/${reference}`)
  assert.equal(payout.status, expected.status)
  assert.deepEqual(
    await merchant.eventTypes(reference),
    expected.events.map((name) => `bank_transfer.${name}`),
  )
  const spent = payout.status === 'COMPLETED' ? payout.amount + payout.fee : 0
  const available = expected.funded - spent
  assert.deepEqual(await merchant.balance(), { available, held: 0, pending: 0 })
}

export const cryptoPath = '/v1/disbursements/crypto'

/** A wallet that was never paid. */
export function newWallet(): string {
  return createKeySigner(newSecret()).address
}

/** A decimal of the API in millionths of a coin. */
export function toMicro(decimal: string): number {
  return Math.round(Number(decimal) * 1_000_000)
}

/** Finalized coins of a wallet, in millionths. */
export async function readCoins(world: World, owner: string): Promise<number> {
  const { value } = await world.outside.chain!.call(
    'getTokenAccountsByOwner',
    owner,
    { mint: mainnetMints.USDC },
    { encoding: 'jsonParsed', commitment: 'finalized' },
  )
  type Held = { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }
  return value
    .map(({ account }: Held) => Number(account.data.parsed.info.tokenAmount.amount))
    .reduce((sum: number, amount: number) => sum + amount, 0)
}

/** The treasury holds every coin that was recorded to be minted, less what it paid out. */
export async function checkTreasury(world: World, paidOut: number): Promise<void> {
  const [row] = await world.db.rows(sql<{ minted: number; unminted: number }>`
    select coalesce(sum(amount), 0)::float8 as minted,
      (count(*) filter (where not is_minted))::int as unminted
    from coin_backings where asset = 'USDC'`)
  assert.equal(row!.unminted, 0)
  assert.equal(await readCoins(world, world.outside.treasuryAddress), row!.minted - paidOut)
}

export async function isAllMinted(world: World): Promise<boolean> {
  const [row] = await world.db.rows(
    sql<{ count: number }>`select count(*)::int as count from coin_backings where not is_minted`,
  )
  return row!.count === 0
}
