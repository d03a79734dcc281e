import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../base/limits.js'
import type { LocalnetPayers } from '../collections/ports.js'
import { mainnetMints } from '../rails/solana/programs.js'
import { localnetLimits } from './localnet/limits.js'
import type { CoinMint } from './test-funding.js'

type Answer = { result?: unknown; error?: { message: string } }

/** What only the embedded chain can be asked for. */
export async function callLocalnet(
  url: string,
  method: string,
  params: unknown[],
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(limits.solana.callMs),
  })
  const { result, error } = (await response.json()) as Answer
  if (error) throw new Error(`the embedded chain refused ${method}: ${error.message}`)
  return result
}

/** For fees and rent, as much as a hot wallet of a test will ever need. */
export async function giveLamports(url: string, address: string): Promise<void> {
  const { treasuryLamports, lowLamports } = localnetLimits
  const balance = (await callLocalnet(url, 'getBalance', [
    address,
    { commitment: 'processed' },
  ])) as {
    value: number
  }
  if (balance.value < lowLamports)
    await callLocalnet(url, 'requestAirdrop', [address, treasuryLamports])
}

/**
 * Mints into the treasury; the chain remembers each key for ever. Where blocks are made by
 * themselves, it can wait for the one with which the coins count as there.
 */
export function createCoinMint(
  url: string,
  rail: { treasuryAddress: string },
  { waitsForBlock = false } = {},
): CoinMint {
  return {
    async mintAll(orders) {
      const wanted = orders.map(({ key, asset, amount }) => {
        const mint = mainnetMints[asset as keyof typeof mainnetMints]
        return { owner: rail.treasuryAddress, mint, amount: amount.toString(), key }
      })
      const signatures = await order(url, 'localnet_mint', wanted)
      if (waitsForBlock) await untilConfirmed(url, signatures.at(-1)!)
    },
  }
}

/** Customers who pay whatever a tester asks for, each key once and for ever. */
export function createCoinCustomers(url: string, { waitsForBlock = true } = {}): LocalnetPayers {
  return {
    async deposit({ key, address, asset, amount }) {
      const wanted = { to: address, mint: mainnetMints[asset], amount: amount.toString(), key }
      const [signature] = await order(url, 'localnet_transfer', [wanted])
      if (waitsForBlock) await untilConfirmed(url, signature!)
      return signature!
    },
  }
}

async function order(url: string, method: string, orders: object[]): Promise<string[]> {
  const outcomes = (await callLocalnet(url, method, [orders])) as Outcome[]
  const failed = outcomes.find(({ err }) => err !== null)
  if (failed) throw new Error(`${method} of the embedded chain failed: ${JSON.stringify(failed)}`)
  return outcomes.map(({ signature }) => signature)
}

type Outcome = { signature: string; err: unknown }

/** A block later; what was minted before it is confirmed with it. */
async function untilConfirmed(url: string, signature: string): Promise<void> {
  const { confirmWithinMs, confirmEveryMs } = localnetLimits
  for (let waited = 0; waited < confirmWithinMs; waited += confirmEveryMs) {
    const params = [[signature], { searchTransactionHistory: true }]
    const answer = (await callLocalnet(url, 'getSignatureStatuses', params)) as {
      value: ({ confirmationStatus: string } | null)[]
    }
    const status = answer.value[0]?.confirmationStatus
    if (status === 'confirmed' || status === 'finalized') return
    await sleep(confirmEveryMs)
  }
  throw new Error('the embedded chain makes no blocks')
}
