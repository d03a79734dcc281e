import { strict as assert } from 'node:assert'
import { Refusal } from '../../base/refusal.js'
import { type Coin, coins } from '../../money/assets.js'
import type { Target } from '../../payouts/ports.js'
import { judgeOffline } from './judge-destination.js'
import type { Recipient, Recipients } from './recipients.js'
import { refuse } from './refuse.js'

/** A target that is not refused by what can be told without asking anybody. */
export type Addressed = { coin: Coin; recipient: Recipient; amount: bigint }

export type Reserved = { mints: Set<string>; ours: Set<string> }

/** What an address off the curve is, only the chain can tell: it is not refused here yet. */
export function addressTarget(
  { asset, amount, destination }: Target,
  recipients: Recipients,
  reserved: Reserved,
): Addressed | Refusal {
  assert(destination.kind === 'wallet' && isCoin(asset), 'a chain carries coins to wallets')
  const refusal = judgeOffline(destination.address, reserved)
  if (refusal) return refusal
  const recipient = recipients.find(asset, destination.address)
  return recipient ? { coin: asset, recipient, amount } : noAddress(destination.address)
}

function noAddress(text: string): Refusal {
  const message = `${JSON.stringify(text)} is no Solana address. Send the address of a wallet.`
  return refuse('destination_not_a_wallet', message)
}

function isCoin(asset: string): asset is Coin {
  return coins.some((coin) => coin === asset)
}

export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refusal
}
