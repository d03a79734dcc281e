import { createSeesLogged } from '../auth/sees-logged.js'
import { linkPageRoutes } from '../checkout-page/link-routes.js'
import { checkoutPreview } from '../checkout-page/preview.js'
import { checkoutPageRoutes } from '../checkout-page/routes.js'
import { claimPageRoutes } from '../claim-page/routes.js'
import { consoleSessionRoutes } from '../console/session.js'
import { invoicePageRoutes } from '../invoice-page/routes.js'
import { operatorAuditRoutes } from '../operator/audit-lines.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import type { Route } from '../server/route.js'
import { advanceClock } from '../test-mode/advance-clock.js'
import { claimTestMoney } from '../test-mode/claim-money.js'
import { decideDisbursement } from '../test-mode/decide-disbursement.js'
import { depositCoins } from '../test-mode/deposit-coins.js'
import { fundBalance } from '../test-mode/fund-balance.js'
import { payIn } from '../test-mode/pay-in.js'
import { settleDisbursement } from '../test-mode/settle-disbursement.js'
import { balanceEntryRoutes } from './balances/balance-entries.js'
import { balances } from './balances/balances.js'
import { conversionRoutes } from './balances/conversions.js'
import { fees } from './balances/fees.js'
import { rateRoutes } from './balances/rates.js'
import { reportRoutes } from './balances/reports.js'
import { caseRoutes } from './cases/cases.js'
import { checkoutSessionRoutes } from './collections/checkout-sessions.js'
import { cryptoWalletRoutes } from './collections/crypto-wallets.js'
import { dedicatedAccountRoutes } from './collections/dedicated-accounts.js'
import { dedicatedCryptoWalletRoutes } from './collections/dedicated-crypto-wallets.js'
import { paymentLinkRoutes } from './collections/payment-links.js'
import { paymentRequestRoutes } from './collections/payment-requests.js'
import { paymentRoutes } from './collections/payments.js'
import { publicCheckoutRoutes } from './collections/public-checkout.js'
import { drawQrCode } from './collections/qr-codes.js'
import { railNotices } from './collections/rail-notices.js'
import { previewSplits } from './collections/split-preview.js'
import { splitRuleRoutes } from './collections/split-rules.js'
import { virtualAccountRoutes } from './collections/virtual-accounts.js'
import { allocationRoutes } from './customers/allocations.js'
import { customerAccountRoutes } from './customers/customer-accounts.js'
import { customerRoutes } from './customers/customers.js'
import { invoiceScheduleRoutes } from './customers/invoice-schedules.js'
import { invoiceRoutes } from './customers/invoices.js'
import { listAttention } from './developers/attention.js'
import { eventRoutes } from './developers/events.js'
import { requestLogRoutes } from './developers/request-logs.js'
import { search } from './developers/search.js'
import { streamChanges } from './developers/stream.js'
import { readTimeline } from './developers/timeline.js'
import { webhookEndpointRoutes } from './developers/webhook-endpoints.js'
import { receiveBounces } from './mail/bounces.js'
import { mailRoutes } from './mail/mails.js'
import { apiKeyRoutes } from './merchant/api-keys.js'
import { approvalRuleRoutes } from './merchant/approval-rule.js'
import { auditLineRoutes } from './merchant/audit-lines.js'
import { bankAccountRoutes } from './merchant/bank-accounts.js'
import { kycRoutes } from './merchant/kyc.js'
import { noteRoutes } from './merchant/notes.js'
import { ownApiKey } from './merchant/own-api-key.js'
import { profile } from './merchant/profile.js'
import { changeSettings, readSettings } from './merchant/settings.js'
import { uploadLogo } from './merchant/settings-logo.js'
import { teamRoutes } from './merchant/team.js'
import { approvalRoutes } from './payouts/approvals.js'
import { bankTransferRoutes } from './payouts/bank-transfers.js'
import { batchApprovalRoutes } from './payouts/batch-approvals.js'
import { claimRoutes } from './payouts/claims.js'
import { cryptoTransferRoutes } from './payouts/crypto-transfers.js'
import { disbursementRoutes } from './payouts/disbursements.js'
import { freezeRoutes } from './payouts/freezes.js'
import { payoutBatchRoutes } from './payouts/payout-batches.js'
import { recipientRoutes } from './payouts/recipients.js'
import { settlementDestinationRoutes } from './payouts/settlement-destination.js'
import { settlementRoutes } from './payouts/settlements.js'
import { subaccountRoutes } from './subaccounts/subaccounts.js'

/** Every operation of the API. */
export function createRoutes(api: ApiParts): Route[] {
  const routes: Route[] = [
    balances(api),
    ...balanceEntryRoutes(api),
    ...reportRoutes(api),
    readSettings(api),
    changeSettings(api),
    ...approvalRuleRoutes(api),
    ...freezeRoutes(api),
    profile(api),
    ownApiKey(),
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
    ...splitRuleRoutes(api),
    previewSplits(api),
    ...checkoutSessionRoutes(api),
    ...paymentLinkRoutes(api),
    ...publicCheckoutRoutes(api),
    ...checkoutPageRoutes(api),
    ...invoicePageRoutes(api),
    ...linkPageRoutes(api),
    ...claimPageRoutes(api),
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
    ...recipientRoutes(api),
    ...caseRoutes(api),
    ...rateRoutes(api),
    ...conversionRoutes(api),
    ...subaccountRoutes(api),
    ...customerRoutes(api),
    ...customerAccountRoutes(api),
    ...allocationRoutes(api),
    ...invoiceRoutes(api),
    ...invoiceScheduleRoutes(api),
    ...settlementRoutes(api),
    ...payoutBatchRoutes(api),
    ...claimRoutes(api),
    ...batchApprovalRoutes(api),
    ...settlementDestinationRoutes(api),
    ...disbursementRoutes(api),
    ...approvalRoutes(api),
    search(api),
    settleDisbursement(api),
    claimTestMoney(api),
    decideDisbursement(api),
    advanceClock(api),
    ...mailRoutes(api),
    receiveBounces(api),
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
