import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { subaccountName } from '../../src/ledger/accounts.js'
import type { Movement, MovementLine } from '../../src/ledger/movement.js'
import { type Asset, assets } from '../../src/money/assets.js'

type Where = { environmentId: EnvironmentId; asset: Asset }

export const now = new Date('2026-01-05T09:00:00.000Z')

/** Incoming money. */
export function fundingOf({ environmentId, asset }: Where, amount: bigint): Movement {
  const debit = assets[asset].holder
  return {
    environmentId,
    asset,
    causeId: newId(now),
    isHold: false,
    lines: [{ debit, credit: 'available', amount, purpose: 'test_funding' }],
  }
}

/** A hold for a payout and its fee. */
export function holdOf({ environmentId, asset }: Where, amount: bigint, fee = 0n): Movement {
  const payout = { debit: 'available', credit: assets[asset].holder, amount } as const
  const charge = { debit: 'available', credit: 'fees', amount: fee } as const
  return {
    environmentId,
    asset,
    causeId: newId(now),
    isHold: true,
    lines: [
      { ...payout, purpose: 'crypto_payout' as const },
      { ...charge, purpose: 'crypto_payout_fee' as const },
    ].filter((line) => line.amount > 0n),
  }
}

/** Money of the merchant that a sub-account gets. */
export function transferTo({ environmentId, asset }: Where, id: string, amount: bigint): Movement {
  return movementOf(
    { environmentId, asset },
    {
      debit: 'available',
      credit: subaccountName(id),
      amount,
      purpose: 'subaccount_transfer',
    },
  )
}

/** Money of a sub-account that the merchant gets. */
export function transferFrom(
  { environmentId, asset }: Where,
  id: string,
  amount: bigint,
): Movement {
  return movementOf(
    { environmentId, asset },
    {
      debit: subaccountName(id),
      credit: 'available',
      amount,
      purpose: 'subaccount_transfer_back',
    },
  )
}

/** A hold for a payout of a sub-account and its fee. */
export function subaccountHoldOf(where: Where, id: string, amount: bigint, fee = 0n): Movement {
  const hold = holdOf(where, amount, fee)
  return { ...hold, lines: hold.lines.map((line) => ({ ...line, debit: subaccountName(id) })) }
}

export function movementOf({ environmentId, asset }: Where, line: MovementLine): Movement {
  return { environmentId, asset, causeId: newId(now), isHold: false, lines: [line] }
}
