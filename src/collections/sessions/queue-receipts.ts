import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import { formatMailTime, type MailContent, type MailSender } from '../../mail/content.js'
import { type NewMail, queueMails } from '../../mail/queue-mails.js'
import { formatMoney } from '../../money/amounts.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type CollectionAccount, isWallet } from '../accounts/account.js'
import type { FoundSession } from './find-sessions.js'

/** A merchant that has receipts sent, as payers know it. */
export type ReceiptSender = MailSender & { mode: Mode }

type SenderRow = {
  id: EnvironmentId
  mode: Mode
  name: string
  colour: string | null
  replyTo: string | null
}

/** Of these environments, those that have receipts sent. */
export async function findReceiptSenders(
  db: Queryable,
  environmentIds: EnvironmentId[],
): Promise<Map<EnvironmentId, ReceiptSender>> {
  if (environmentIds.length === 0) return new Map()
  const rows = await db.rows<SenderRow>({
    name: 'find_receipt_senders',
    text: `
      select e.id, e.mode,
        coalesce(s.document #>> '{checkout,displayName}', m.display_name) as name,
        s.document #>> '{checkout,colour}' as colour,
        s.document #>> '{checkout,supportEmail}' as reply_to
      from environment_settings s join environments e on e.id = s.environment_id
      join merchants m on m.id = e.merchant_id
      where s.environment_id = any($1) and s.document #>> '{mails,receipts}' = 'true'`,
    values: [environmentIds],
  })
  return new Map(rows.map(({ id, ...sender }) => [id, sender]))
}

/** A session that was paid into this account. */
export type PaidSession = { found: FoundSession; account: CollectionAccount }

/** Queues a receipt for each session whose merchant has receipts sent: one for a session. */
export function queueReceipts(
  tx: Tx,
  now: RealTime,
  paid: PaidSession[],
  senders: Map<EnvironmentId, ReceiptSender>,
): void {
  const receipts = paid.flatMap((session) => {
    const sender = senders.get(session.account.environmentId)
    // A customer who is invoiced may have no address.
    const hasAddress = session.found.session.customerEmail !== ''
    return sender && hasAddress ? [toReceipt(session, sender)] : []
  })
  queueMails(tx, now, receipts)
}

function toReceipt(paid: PaidSession, { mode, ...sender }: ReceiptSender): NewMail {
  const { session } = paid.found
  return {
    environmentId: session.environmentId,
    mode,
    kind: 'receipt',
    causeId: session.id,
    recipient: session.customerEmail,
    content: writeReceipt(paid, { mode, sender }),
  }
}

function writeReceipt(
  { found: { session }, account }: PaidSession,
  { mode, sender }: { mode: Mode; sender: MailSender },
): MailContent {
  const { amountAccepted, amountReceived, paidAt } = account
  // Accounts of sessions expect an amount, so they have an asset.
  const asset = account.asset!
  const paid = formatMoney(amountAccepted, asset)
  const isTest = mode === 'test'
  const facts: [string, string][] = [
    ['Paid to', sender.name],
    ['For', session.description],
    ['Paid on', formatMailTime(paidAt!)],
    ['Method', isWallet(account) ? `${asset} on Solana` : 'Bank transfer'],
  ]
  if (amountReceived !== amountAccepted)
    facts.push(['Received', formatMoney(amountReceived, asset)])
  if (session.merchantReference !== null) facts.push(['Reference', session.merchantReference])
  return {
    subject: `${isTest ? 'Test: ' : ''}Receipt from ${sender.name}: ${paid}`,
    sender,
    heading: `Thank you, ${session.customerName}`,
    blocks: [
      { type: 'amount', label: 'You paid', amount: paid },
      { type: 'facts', facts },
      { type: 'button', label: 'See the receipt', url: session.url, isSecret: false },
      ...(isTest
        ? ([{ type: 'note', text: 'A payment of test mode: no real money was paid.' }] as const)
        : []),
    ],
    reason: `Sent on behalf of ${sender.name}, because you paid at its checkout, for which this address was given.`,
  }
}
