import { strict as assert } from 'node:assert'
import type { Refusal } from '../../../base/refusal.js'
import { type Coin, isCoin } from '../../../money/assets.js'
import type { Target } from '../../../payouts/ports.js'
import { judgeOffline } from './judge-destination.js'
import type { Recipients, WalletRecipient } from './recipients.js'
import { refuse } from './refuse.js'

/** A target that passed all offline checks. */
export type ResolvedTarget = { coin: Coin; recipient: WalletRecipient; amount: bigint }

/** Addresses that are never valid destinations. */
export type Reserved = { mints: Set<string>; ours: Set<string> }

/**
 * Offline checks. Accepts addresses off the curve, so that `judge-destination.ts` can tell the
 * caller what is there: a token account, a program, a multisig.
 */
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
