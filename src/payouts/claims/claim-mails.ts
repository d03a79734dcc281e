import type { RealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { formatMailTime, type MailContent, type MailSender } from '../../mail/content.js'
import { queueMails } from '../../mail/queue-mails.js'
import { formatMoney } from '../../money/amounts.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Claim } from './claim.js'

/** The claim, its merchant as payers know it, and its link, which is not stored. */
export type ClaimLink = {
  claim: Claim
  environment: Pick<Environment, 'mode'>
  sender: MailSender
  url: string
}

/** Sends the link to the recipient, if the merchant gave an address. */
export function mailClaimLink(tx: Tx, now: RealTime, link: ClaimLink): void {
  const { claim, environment } = link
  const { environmentId, id: causeId, email: recipient } = claim
  if (recipient === null) return
  const { mode } = environment
  const content = writeClaimMail(link)
  queueMails(tx, now, [{ environmentId, mode, kind: 'claim', causeId, recipient, content }])
}

function writeClaimMail({ claim, environment, sender, url }: ClaimLink): MailContent {
  const { asset, recipientName } = claim
  const amount = formatMoney(claim.amount, asset)
  const isTest = environment.mode === 'test'
  const target = asset === 'NGN' ? 'your bank account' : 'your Solana wallet'
  const word = claim.wordHash ? ' You need the secret word that you were given.' : ''
  return {
    subject: `${isTest ? 'Test: ' : ''}${amount} from ${sender.name}`,
    sender,
    heading: recipientName ? `Money for you, ${recipientName}` : 'Money for you',
    blocks: [
      { type: 'amount', label: `From ${sender.name}`, amount },
      {
        type: 'facts',
        facts: [
          ['For', claim.description],
          ['Claim it by', formatMailTime(claim.expiresAt)],
        ],
      },
      {
        type: 'paragraph',
        text: `Open the page and enter ${target}. The money is sent there.${word}`,
      },
      { type: 'button', label: 'Claim the money', url, isSecret: true },
      {
        type: 'note',
        text: 'Anyone with this link can claim the money. Do not pass it on. We never ask for a PIN, a password or a fee.',
      },
      ...(isTest
        ? ([{ type: 'note', text: 'A claim of test mode: no real money is paid.' }] as const)
        : []),
    ],
    reason: `Sent on behalf of ${sender.name}, which gave this address for the recipient of the money.`,
  }
}
