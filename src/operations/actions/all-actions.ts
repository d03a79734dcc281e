import type { Action } from '../definitions/definition.js'
import { auditActions } from './audit.js'
import { balanceActions } from './balances.js'
import { bankAccountActions } from './bank-accounts.js'
import { bankBindingActions } from './bank-bindings.js'
import { exchangeActions } from './exchange.js'
import { feeActions } from './fees.js'
import { freezeActions } from './freezes.js'
import { healthActions } from './health.js'
import { keyActions } from './keys.js'
import { kycActions } from './kyc.js'
import { ledgerProofActions } from './ledger-proofs.js'
import { levyActions } from './levies.js'
import { mailActions } from './mails.js'
import { merchantActions } from './merchants.js'
import { noticeActions } from './notices.js'
import { operatorActions } from './operators.js'
import { paymentActions } from './payments.js'
import { payoutActions } from './payouts.js'
import { personalDataActions } from './personal-data.js'
import { railActions } from './rails.js'
import { rateActions } from './rates.js'
import { reconciliationActions } from './reconciliations.js'
import { screeningActions } from './screening.js'
import { secretActions } from './secret.js'
import { settlementActions } from './settlements.js'
import { treasuryActions } from './treasuries.js'
import { userActions } from './users.js'
import { vatActions } from './vat.js'
import { verifyAuditActions } from './verify-audit.js'

/** Everything that operators do and see, in the order in which help lists the commands. */
export const allActions: Action[] = [
  ...merchantActions,
  ...bankBindingActions,
  ...userActions,
  ...keyActions,
  ...kycActions,
  ...bankAccountActions,
  ...feeActions,
  ...levyActions,
  ...vatActions,
  ...balanceActions,
  ...settlementActions,
  ...noticeActions,
  ...railActions,
  ...freezeActions,
  ...rateActions,
  ...mailActions,
  ...screeningActions,
  ...paymentActions,
  ...personalDataActions,
  ...auditActions,
  ...secretActions,
  ...ledgerProofActions,
  ...verifyAuditActions,
  ...payoutActions,
  ...exchangeActions,
  ...reconciliationActions,
  ...healthActions,
  ...treasuryActions,
  ...operatorActions,
]

/** Descriptions of the commands that contain others. */
export const commandGroups: Record<string, string> = {
  merchants: 'merchants of this installation',
  users: 'users of the console',
  keys: "a merchant's API keys",
  kyc: 'KYC status of a merchant',
  'bank-accounts': "a merchant's own bank accounts (live accounts need a primary one)",
  fees: 'fees charged to merchants, and what remains of them',
  levies: 'stamp duty on naira transfers',
  vat: 'VAT that fees contain',
  balances: "a merchant's balances",
  settlements: 'payouts of available naira to the primary bank account of a merchant',
  notices: 'unmatched bank payments',
  rails: 'banks and chains that pay out',
  freeze: 'payouts that are refused until two members or operators thaw them',
  rates: 'naira for one coin',
  mail: 'mails that this service sends',
  payments: 'payments that are held for screening',
  screening: 'sanctioned wallets and names',
  data: 'personal data: export, erasing, legal holds',
  audit: 'log of changes by operators',
  secret: 'the secret of this service',
  payouts: 'open payouts of all merchants',
  exchange: 'your own money that conversions sell, and what they earned',
}
