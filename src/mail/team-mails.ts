import { createHash } from 'node:crypto'
import type { RealTime } from '../base/clock.js'
import type { EnvironmentId, Mode } from '../base/environment.js'
import { toUuid } from '../base/ids.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { rolesWith } from '../team/permissions.js'
import type { DraftBlock, MailDraft } from './content.js'
import { type MailKind, mailKinds, type TeamMailKind } from './kinds.js'
import { queueMails } from './queue-mails.js'

type Team = { mode: Mode; merchantName: string; addresses: string[] }

/** The members who get mails of a kind: those with its permission who have not switched it off. */
async function findTeam(
  db: Queryable,
  { environmentId, kind, onlyUsers }: TeamMail,
): Promise<Team | undefined> {
  const { permission } = mailKinds[kind]
  const [row] = await db.rows(sql<Team>`
    select e.mode, m.display_name as merchant_name, array(
      select u.email from memberships s join users u on u.id = s.user_id
      where s.merchant_id = e.merchant_id and s.disabled_at is null and u.disabled_at is null
        and s.role = any (case e.mode when 'test' then ${rolesWith(permission, 'test')}::text[]
          else ${rolesWith(permission, 'live')}::text[] end)
        and (e.mode = 'test' or s.may_see_live) and ${wants('u.id', kind)}
        and (${onlyUsers ?? null}::uuid[] is null or u.id = any (${onlyUsers ?? null}::uuid[]))
      order by u.email) as addresses
    from environments e join merchants m on m.id = e.merchant_id where e.id = ${environmentId}`)
  return row
}

function wants(userId: 'u.id', kind: MailKind) {
  return sql`not exists (select from mail_preferences p
    where p.user_id = ${sql.raw(userId)} and p.kind = ${kind} and not p.is_on)`
}

export type TeamMail = {
  environmentId: EnvironmentId
  kind: TeamMailKind
  causeId: string
  /** Of the members with the permission, only these. */
  onlyUsers?: string[]
  subject: string
  heading: string
  blocks: DraftBlock[]
  /** Completes "because", such as "you may approve transfers". */
  because: string
}

/** Queues a mail to the members of a merchant's team who want it. */
export async function queueTeamMail(tx: Tx, now: RealTime, mail: TeamMail): Promise<void> {
  const team = await findTeam(tx, mail)
  if (!team || team.addresses.length === 0) return
  const { environmentId, kind, causeId, heading, blocks, because } = mail
  const { mode, merchantName } = team
  const name = mode === 'test' ? `${merchantName} (test mode)` : merchantName
  const content: MailDraft = {
    subject: `${name}: ${mail.subject}`,
    sender: null,
    heading,
    blocks,
    reason:
      `Sent to you as a member of the team of ${name}, because ${because}. ` +
      'You can switch mails like this off in the console, under "You".',
  }
  queueMails(
    tx,
    now,
    team.addresses.map((recipient) => ({
      environmentId,
      mode,
      kind,
      causeId,
      recipient,
      content,
    })),
  )
}

/**
 * Queues an alert to all operators who want it. Operators get one mail for a cause, which is any
 * text that names it.
 */
export async function queueOperatorAlert(
  tx: Tx,
  now: RealTime,
  { cause, subject, blocks }: { cause: string; subject: string; blocks: DraftBlock[] },
): Promise<void> {
  const operators = await tx.rows(sql<{ email: string }>`
    select u.email from users u
    where u.is_operator and u.disabled_at is null and ${wants('u.id', 'operator_alert')}
    order by u.email`)
  const digest = createHash('sha256').update(`operator alert/${cause}`).digest()
  const causeId = toUuid(digest.subarray(0, 16).toString('hex'))
  const content: MailDraft = {
    subject: `Manilla: ${subject}`,
    sender: null,
    heading: subject,
    blocks,
    reason:
      'Sent to you as an operator of this Manilla service. ' +
      'You can switch alerts off in the console, under "You".',
  }
  queueMails(
    tx,
    now,
    operators.map(({ email }) => ({
      environmentId: null,
      mode: 'live',
      kind: 'operator_alert',
      causeId,
      recipient: email,
      content,
    })),
  )
}
