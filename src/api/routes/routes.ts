import type { ApiParts } from '../api-parts.js'
import { checkoutPreview } from '../checkout-page/preview.js'
import { checkoutPageRoutes } from '../checkout-page/routes.js'
import { consoleSessionRoutes } from '../console/session.js'
import type { Route } from '../edge/route.js'
import { operatorAuditRoutes } from '../operator/audit-lines.js'
import { createSeesLogged } from '../sees-logged.js'
import { advanceClock } from '../test-mode/advance-clock.js'
import { decideDisbursement } from '../test-mode/decide-disbursement.js'
import { depositCoins } from '../test-mode/deposit-coins.js'
import { fundBalance } from '../test-mode/fund-balance.js'
import { payIn } from '../test-mode/pay-in.js'
import { settleDisbursement } from '../test-mode/settle-disbursement.js'
import { apiKeyRoutes } from './api-keys.js'
import { approvalRuleRoutes } from './approval-rule.js'
import { approvalRoutes } from './approvals.js'
import { listAttention } from './attention.js'
import { auditLineRoutes } from './audit-lines.js'
import { balanceEntryRoutes } from './balance-entries.js'
import { balances } from './balances.js'
import { bankAccountRoutes } from './bank-accounts.js'
import { bankTransferRoutes } from './bank-transfers.js'
import { batchApprovalRoutes } from './batch-approvals.js'
import { checkoutSessionRoutes } from './checkout-sessions.js'
import { conversionRoutes } from './conversions.js'
import { cryptoTransferRoutes } from './crypto-transfers.js'
import { cryptoWalletRoutes } from './crypto-wallets.js'
import { dedicatedAccountRoutes } from './dedicated-accounts.js'
import { dedicatedCryptoWalletRoutes } from './dedicated-crypto-wallets.js'
import { disbursementRoutes } from './disbursements.js'
import { eventRoutes } from './events.js'
import { fees } from './fees.js'
import { kycRoutes } from './kyc.js'
import { noteRoutes } from './notes.js'
import { paymentRequestRoutes } from './payment-requests.js'
import { paymentRoutes } from './payments.js'
import { payoutBatchRoutes } from './payout-batches.js'
import { profile } from './profile.js'
import { publicCheckoutRoutes } from './public-checkout.js'
import { drawQrCode } from './qr-codes.js'
import { railNotices } from './rail-notices.js'
import { rateRoutes } from './rates.js'
import { reportRoutes } from './reports.js'
import { requestLogRoutes } from './request-logs.js'
import { search } from './search.js'
import { changeSettings, readSettings } from './settings.js'
import { uploadLogo } from './settings-logo.js'
import { settlementDestinationRoutes } from './settlement-destination.js'
import { settlementRoutes } from './settlements.js'
import { streamChanges } from './stream.js'
import { teamRoutes } from './team.js'
import { readTimeline } from './timeline.js'
import { virtualAccountRoutes } from './virtual-accounts.js'
import { webhookEndpointRoutes } from './webhook-endpoints.js'

/** Every operation of the API. */
export function createRoutes(api: ApiParts): Route[] {
  const routes: Route[] = [
    balances(api),
    ...balanceEntryRoutes(api),
    ...reportRoutes(api),
    readSettings(api),
    changeSettings(api),
    ...approvalRuleRoutes(api),
    profile(api),
    uploadLogo(api),
    fees(api),
    ...apiKeyRoutes(api),
    ...bankAccountRoutes(api),
    ...kycRoutes(api),
    fundBalance(api),
    ...virtualAccountRoutes(api),
    ...dedicatedAccountRoutes(api),
    ...cryptoWalletRoutes(api),
    ...dedicatedCryptoWalletRoutes(api),
    ...checkoutSessionRoutes(api),
    ...publicCheckoutRoutes(api),
    ...checkoutPageRoutes(api),
    checkoutPreview(api),
    drawQrCode(api),
    ...paymentRoutes(api),
    ...paymentRequestRoutes(api),
    ...noteRoutes(api),
    payIn(api),
    depositCoins(api),
    railNotices(api),
    ...cryptoTransferRoutes(api),
    ...bankTransferRoutes(api),
    ...rateRoutes(api),
    ...conversionRoutes(api),
    ...settlementRoutes(api),
    ...payoutBatchRoutes(api),
    ...batchApprovalRoutes(api),
    ...settlementDestinationRoutes(api),
    ...disbursementRoutes(api),
    ...approvalRoutes(api),
    search(api),
    settleDisbursement(api),
    decideDisbursement(api),
    advanceClock(api),
    ...webhookEndpointRoutes(api),
    ...eventRoutes(api),
    readTimeline(api),
    ...requestLogRoutes(api, (permissions, entry) => seesLogged(permissions, entry)),
    ...auditLineRoutes(api),
    streamChanges(api),
    listAttention(api),
    ...operatorAuditRoutes(api),
    ...consoleSessionRoutes(api),
    ...teamRoutes(api),
  ]
  // Which routes there are is known when the first entry of the log is read.
  const seesLogged = createSeesLogged(routes)
  return routes
}
