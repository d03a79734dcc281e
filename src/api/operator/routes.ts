import type { Route } from '../server/route.js'
import { actionRoutes } from './actions.js'
import { creditRoutes } from './credits.js'
import { exchangeRoutes } from './exchange.js'
import { feeRoutes } from './fees.js'
import { healthRoutes } from './health.js'
import { kycRoutes } from './kyc.js'
import { merchantRoutes } from './merchants.js'
import { noticeRoutes } from './notices.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorListRoutes } from './operators.js'
import { payoutRoutes } from './payouts.js'
import { railRoutes } from './rails.js'
import { operatorRateRoutes } from './rates.js'
import { reconciliationRoutes } from './reconciliations.js'
import { treasuryRoutes } from './treasuries.js'

/** Everything that operators do in the console. Merchants never call these. */
export function createOperatorRoutes(parts: OperatorParts): Route[] {
  return [
    healthRoutes,
    merchantRoutes,
    kycRoutes,
    feeRoutes,
    payoutRoutes,
    noticeRoutes,
    treasuryRoutes,
    reconciliationRoutes,
    railRoutes,
    operatorRateRoutes,
    exchangeRoutes,
    creditRoutes,
    operatorListRoutes,
    actionRoutes,
  ].flatMap((routesOf) => routesOf(parts))
}
