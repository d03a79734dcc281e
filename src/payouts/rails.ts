import type { Environment } from '../base/environment.js'
import type { PayoutKind } from './payout.js'
import type { PayoutRail } from './ports.js'

/** Which rail carries what; implemented by `collections/rails.ts`. */
export interface PayoutRails {
  carrierOf(
    environment: Pick<Environment, 'mode' | 'payoutBank'>,
    kind: PayoutKind,
  ): PayoutRail | undefined
  named(name: string): PayoutRail | undefined
}
