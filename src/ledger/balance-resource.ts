import Type, { type Static } from 'typebox'
import { anyAmount, anyAsset, resource, withDescription, withExample } from '../base/shapes.js'
import { toWire } from '../money/amounts.js'
import type { Balance } from './balances.js'

export const balance = resource('Balance', {
  asset: anyAsset,
  available: withDescription(
    anyAmount,
    'What you can spend: an integer in kobo for NGN, a decimal string for USDC and USDT.',
  ),
  held: withExample(withDescription(anyAmount, 'Reserved for open payouts.'), 0),
  pending: withExample(
    withDescription(
      anyAmount,
      'Received, and waiting for your decision. Money on its way back to the sender is not included. Of a sub-account: shares that are released later.',
    ),
    0,
  ),
  owed: Type.Optional(
    Object.assign(
      withDescription(
        anyAmount,
        'What a sub-account owes you; its next credits pay it first. Left out of your own balances.',
      ),
      { 'x-left-out': true },
    ),
  ),
})

export const lowBalance = resource('LowBalance', {
  asset: anyAsset,
  available: withExample(withDescription(anyAmount, 'Available balance when it fell.'), 90_000),
  threshold: withExample(withDescription(anyAmount, 'The threshold from your settings.'), 100_000),
})

export function showBalance({ asset, available, held, pending }: Balance): Static<typeof balance> {
  return {
    asset,
    available: toWire(available, asset),
    held: toWire(held, asset),
    pending: toWire(pending, asset),
  }
}

/** A balance that fell below its threshold. */
type LowBalance = Pick<Balance, 'asset' | 'available'> & { threshold: bigint }

export function showLowBalance({
  asset,
  available,
  threshold,
}: LowBalance): Static<typeof lowBalance> {
  return {
    asset,
    available: toWire(available, asset),
    threshold: toWire(threshold, asset),
  }
}
