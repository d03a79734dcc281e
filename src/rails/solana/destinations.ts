import { strict as assert } from 'node:assert'
import { Refusal } from '../../base/refusal.js'
import { type Coin, coins } from '../../money/assets.js'
import type { Target } from '../../payouts/ports.js'
import { judgeOffline } from './judge-destination.js'
import type { Recipient, Recipients } from './recipients.js'
import { refuse } from './refuse.js'

/** A target that passed all offline checks. */
export type ResolvedTarget = { coin: Coin; recipient: Recipient; amount: bigint }

/** Addresses that are never valid destinations. */
export type Reserved = { mints: Set<string>; ours: Set<string> }

/** Does not refuse addresses off the curve: only the chain can name what they are. */
export function resolveTarget(
  { asset, amount, destination }: Target,
  recipients: Recipients,
  reserved: Reserved,
): ResolvedTarget | Refusal {
  assert(destination.kind === 'wallet' && isCoin(asset), 'the Solana rail pays coins to wallets')
  const refusal = judgeOffline(destination.address, reserved)
  if (refusal) return refusal
  const recipient = recipients.find(asset, destination.address)
  return recipient ? { coin: asset, recipient, amount } : notAnAddress(destination.address)
}

function notAnAddress(text: string): Refusal {
  const message = `${JSON.stringify(text)} is not a Solana address. Send a wallet address.`
  return refuse('destination_not_a_wallet', message)
}

function isCoin(asset: string): asset is Coin {
  return coins.some((coin) => coin === asset)
}

export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refusal
}
