import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../limits.js'
import type { CoinMint } from '../../payouts/back-fundings.js'
import { mainnetMints } from './programs.js'

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
  const { treasuryLamports, lowLamports } = limits.localnet
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
      const outcomes = (await callLocalnet(url, 'localnet_mint', [wanted])) as Minted[]
      const failed = outcomes.find(({ err }) => err !== null)
      if (failed) throw new Error(`the embedded chain did not mint: ${JSON.stringify(failed)}`)
      if (waitsForBlock) await untilConfirmed(url, outcomes.at(-1)!.signature)
    },
  }
}

type Minted = { signature: string; err: unknown }

/** A block later; what was minted before it is confirmed with it. */
async function untilConfirmed(url: string, signature: string): Promise<void> {
  const { confirmWithinMs, confirmEveryMs } = limits.localnet
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
