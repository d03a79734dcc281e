import type { RealTime } from '../base/clock.js'
import type { EnvironmentId, Mode } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { completeDraft, type MailDraft } from './content.js'
import type { MailKind } from './kinds.js'
import { mailLimits } from './limits.js'
import { mails } from './mail.js'
import { getMailbox } from './mailbox.js'

export type NewMail = {
  /** Null: not for a merchant. */
  environmentId: EnvironmentId | null
  mode: Mode
  kind: MailKind
  /** What the mail is about. A recipient gets one mail of a kind for each cause. */
  causeId: string
  recipient: string
  content: MailDraft
}

const insertMails = listStatement({
  name: 'insert_mails',
  columns: mails.typesWithout('attempts', 'lastError', 'endedAt'),
  text: (list, _parameter, names) => `
    insert into mails (${names}) select ${names} from ${list}
    on conflict (kind, cause_id, recipient) do nothing`,
})

/**
 * Writes mails in the transaction of their cause, so that a mail exists exactly when its cause
 * does. Workers send them. `now` is real time even if the environment's test clock is ahead.
 * Returns their ids, without those of addresses that cannot be written to.
 */
export function queueMails(tx: Tx, now: RealTime, queued: NewMail[]): string[] {
  const addressed = queued.filter(({ recipient }) => isAddress(recipient))
  if (addressed.length === 0) return []
  const { seal, consoleUrl } = getMailbox(tx)
  // Sorted, so that two transactions with the same mails do not wait for each other.
  const rows = addressed
    .map(({ content, ...mail }) => ({
      ...mail,
      id: newId(now),
      sealedContent: seal.seal(JSON.stringify(completeDraft(content, consoleUrl))),
      state: 'WAITING',
      dueAt: now,
      createdAt: now,
    }))
    .sort((a, b) => (a.recipient < b.recipient ? -1 : 1))
  tx.write(insertMails(rows))
  return rows.map(({ id }) => id)
}

/** A cause never fails because no mail can be sent to the address that was typed. */
function isAddress(text: string): boolean {
  return text.length <= mailLimits.addressLengthMax && /^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(text)
}
