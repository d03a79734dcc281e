import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../base/limits.js'
import type { LocalnetPayers } from '../collections/ports.js'
import { mainnetMints } from '../rails/solana/programs.js'
import { localnetLimits } from './localnet/limits.js'
import type { CoinMint } from './test-funding.js'

type RpcResponse = { result?: unknown; error?: { message: string } }

/** Calls the localnet's JSON-RPC, including its own `localnet_` methods. */
export async function callLocalnet(
  url: string,
  method: string,
  params: unknown[],
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(limits.solana.callTimeoutMs),
  })
  const { result, error } = (await response.json()) as RpcResponse
  if (error) throw new Error(`localnet ${method} failed: ${error.message}`)
  return result
}

/** Airdrops lamports for fees and rent if the balance is low. */
export async function giveLamports(url: string, address: string): Promise<void> {
  const { treasuryLamports, treasuryLamportsMin } = localnetLimits
  const params = [address, { commitment: 'processed' }]
  const balance = (await callLocalnet(url, 'getBalance', params)) as { value: number }
  if (balance.value < treasuryLamportsMin)
    await callLocalnet(url, 'requestAirdrop', [address, treasuryLamports])
}

/**
 * Mints coins to the treasury, once per key. With `waitsForBlock`, resolves when they are
 * confirmed; the localnet must make blocks by itself.
 */
export function createCoinMint(
  url: string,
  rail: { treasuryAddress: string },
  { waitsForBlock = false } = {},
): CoinMint {
  return {
    async mintAll(backings) {
      const requests = backings.map(({ key, asset, amount }) => {
        const mint = mainnetMints[asset as keyof typeof mainnetMints]
        return { owner: rail.treasuryAddress, mint, amount: amount.toString(), key }
      })
      const signatures = await callFaucet(url, 'localnet_mint', requests)
      if (waitsForBlock) await waitUntilConfirmed(url, signatures.at(-1)!)
    },
  }
}

/** Pays test deposits on behalf of payers, once per key. */
export function createLocalnetPayers(url: string, { waitsForBlock = true } = {}): LocalnetPayers {
  return {
    async deposit({ key, address, asset, amount }) {
      const request = { to: address, mint: mainnetMints[asset], amount: amount.toString(), key }
      const [signature] = await callFaucet(url, 'localnet_transfer', [request])
      if (waitsForBlock) await waitUntilConfirmed(url, signature!)
      return signature!
    },
  }
}

type FaucetOutcome = { signature: string; err: unknown }

async function callFaucet(url: string, method: string, requests: object[]): Promise<string[]> {
  const outcomes = (await callLocalnet(url, method, [requests])) as FaucetOutcome[]
  const failed = outcomes.find(({ err }) => err !== null)
  if (failed) throw new Error(`localnet ${method} failed: ${JSON.stringify(failed)}`)
  return outcomes.map(({ signature }) => signature)
}

/** Transactions before this one are confirmed with it. */
async function waitUntilConfirmed(url: string, signature: string): Promise<void> {
  const { confirmWithinMs, confirmEveryMs } = localnetLimits
  for (let waitedMs = 0; waitedMs < confirmWithinMs; waitedMs += confirmEveryMs) {
    const params = [[signature], { searchTransactionHistory: true }]
    const answer = (await callLocalnet(url, 'getSignatureStatuses', params)) as {
      value: ({ confirmationStatus: string } | null)[]
    }
    const status = answer.value[0]?.confirmationStatus
    if (status === 'confirmed' || status === 'finalized') return
    await sleep(confirmEveryMs)
  }
  throw new Error('the localnet did not confirm the transaction in time')
}
