import { formatDecimal, groupThousands } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'

/** The amount as titles show it: ₦12,500.00 or 25.50 USDC. */
export function sayAmount(amount: bigint, asset: Asset): string {
  const decimal = groupThousands(formatDecimal(amount, asset, 2))
  return asset === 'NGN' ? `₦${decimal}` : `${decimal} ${asset}`
}
