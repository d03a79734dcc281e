import { after, type Clock, day, type RealTime } from '../base/clock.js'
import type { EnvironmentId, Mode } from '../base/environment.js'
import { firstIdAt, prefixes, toReference } from '../base/ids.js'
import type { Logger } from '../base/log.js'
import type { Seal } from '../base/sealed.js'
import type { Database } from '../postgres/database.js'
import { claimDue, type DueTable, type Lease, whileLeased } from '../postgres/due.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { MailContent } from './content.js'
import { end, judgeAttempt, type MailVerdict } from './judge-attempt.js'
import { mailKinds } from './kinds.js'
import { mailLimits } from './limits.js'
import type { Mail } from './mail.js'
import type { MailRelay, OutgoingMail, RelayAnswer } from './ports.js'
import { renderHtml } from './render-html.js'
import { renderText } from './render-text.js'
import { findSuppressed, nameOf, suppress } from './suppressions.js'

/** With the address list and the logo of the merchant as they are now. */
export const mailsDue: DueTable = {
  table: 'mails',
  keyColumns: ['id'],
  openCondition: "state = 'WAITING'",
  ownerColumn: 'mode',
  counterColumn: 'attempts',
  returning: `job.id, job.environment_id, job.mode, job.kind, job.recipient, job.sealed_content,
    job.attempts,
    (select s.document #> '{mails,testAddresses}' from environment_settings s
      where s.environment_id = job.environment_id) as test_addresses,
    (select s.document #>> '{checkout,logo}' from environment_settings s
      where s.environment_id = job.environment_id) as logo`,
}

type ClaimedMail = Pick<
  Mail,
  'id' | 'environmentId' | 'mode' | 'kind' | 'recipient' | 'sealedContent' | 'attempts'
> & {
  /** JSON; null: none. */
  testAddresses: string | null
  /** A data URL. */
  logo: string | null
}

export type MailDependencies = {
  db: Database
  clock: Clock
  seal: Seal
  logger: Logger
  /** Undefined: mails are kept. */
  relay: MailRelay | undefined
  /** A worker that stops hands no more mails over: it could not record that they were accepted. */
  isStopping?: (() => boolean) | undefined
}

/**
 * Sends due mails. A mail that the relay accepted is sent again only if this process ends before
 * it is recorded, with the same Message-ID. Returns how many were due.
 */
export async function sendMails(
  dependencies: MailDependencies & { mode: Mode },
  now: RealTime,
): Promise<number> {
  const { db, mode } = dependencies
  const limit = mailLimits.perBatchMax
  const claimed = await claimDue<ClaimedMail>(db, mailsDue, { owner: mode, now, limit })
  if (claimed.length === 0) return 0
  await whileLeased(dependencies, mailsDue, { owner: mode, now }, async (lease) => {
    const sendable = await setAside(dependencies, now, claimed)
    await inParallel(sendable, (mail) => sendOne(dependencies, lease, mail))
  })
  return claimed.length
}

/** Ends or postpones the mails that are not sent now, and returns the others. */
async function setAside(
  { db, seal, relay }: MailDependencies,
  now: RealTime,
  claimed: ClaimedMail[],
): Promise<ClaimedMail[]> {
  const kept = claimed.filter((mail) => relay === undefined || !mayLeave(mail))
  for (const mail of kept) await record(db, mail, end(now, 'KEPT'))
  const leaving = claimed.filter((mail) => !kept.includes(mail))
  const suppressed = await findSuppressed(db, seal, leaving.map(toRecipient))
  const isSuppressed = (mail: ClaimedMail) => suppressed.has(nameOf(toRecipient(mail)))
  for (const mail of leaving.filter(isSuppressed)) await record(db, mail, end(now, 'SUPPRESSED'))
  return postponeBeyondLimit(
    db,
    now,
    leaving.filter((mail) => !isSuppressed(mail)),
  )
}

function toRecipient({ environmentId, recipient }: ClaimedMail) {
  return { environmentId, address: recipient }
}

/** Addresses in test mode are made up, unless the merchant lists them. */
function mayLeave({ mode, recipient, testAddresses }: ClaimedMail): boolean {
  if (mode === 'live') return true
  const allowed = testAddresses === null ? [] : (JSON.parse(testAddresses) as string[])
  return allowed.some((address) => address.toLowerCase() === recipient.toLowerCase())
}

/** Counts the mails of each environment before they are sent: those beyond its limit wait. */
async function postponeBeyondLimit(
  db: Database,
  now: RealTime,
  sendable: ClaimedMail[],
): Promise<ClaimedMail[]> {
  const beyond = new Set<ClaimedMail>()
  const environments = new Set(sendable.map(({ environmentId }) => environmentId))
  for (const environmentId of environments) {
    if (environmentId === null) continue
    const own = sendable.filter((mail) => mail.environmentId === environmentId)
    const started = await countStarted(db, now, { environmentId, count: own.length })
    const free = Math.max(0, mailLimits.perDayMax - (started - own.length))
    for (const mail of own.slice(free)) beyond.add(mail)
  }
  const tomorrow = new Date(Math.floor(now.getTime() / day) * day + day)
  // Waiting is no attempt.
  if (beyond.size > 0)
    await db.rows(sql`
      update mails set due_at = ${tomorrow}, attempts = attempts - 1
      where id = any (${[...beyond].map(({ id }) => id)}::uuid[]) and state = 'WAITING'`)
  return sendable.filter((mail) => !beyond.has(mail))
}

async function countStarted(
  db: Queryable,
  now: RealTime,
  { environmentId, count }: { environmentId: EnvironmentId; count: number },
): Promise<number> {
  const today = now.toISOString().slice(0, 10)
  const [row] = await db.rows(sql<{ started: number }>`
    insert into mail_days (environment_id, day, started)
    values (${environmentId}, ${today}::date, ${count})
    on conflict (environment_id, day) do update set started = mail_days.started + excluded.started
    returning started`)
  return row!.started
}

async function inParallel<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const workers = Array.from({ length: mailLimits.parallelMax }, async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  })
  await Promise.all(workers)
}

/** A mail that cannot be made, such as one of a lost secret, must not hold up the others. */
async function handOver(
  { seal, logger, relay }: MailDependencies,
  mail: ClaimedMail,
): Promise<RelayAnswer> {
  try {
    return await relay!.send(toOutgoing(seal, mail))
  } catch (error) {
    logger.error({ err: error, mail: toReference(prefixes.mail, mail.id) }, 'mail was not made')
    return { isAccepted: false, why: 'temporary', error: 'The mail could not be made.' }
  }
}

async function sendOne(
  dependencies: MailDependencies,
  lease: Lease,
  mail: ClaimedMail,
): Promise<void> {
  const { db, clock, seal, logger, isStopping } = dependencies
  // Another worker may have it soon.
  if (!lease.holds() || isStopping?.()) return
  const answer = await handOver(dependencies, mail)
  const now = clock.now()
  const verdict = judgeAttempt(now, mail.attempts, answer)
  await db.transaction(async (tx) => {
    await record(tx, mail, verdict)
    if (!verdict.suppresses) return
    const { environmentId, recipient: address } = mail
    const detail = verdict.lastError
    await suppress(tx, now, seal, { environmentId, address, reason: 'no_mailbox', detail })
  })
  if (answer.isAccepted) return
  const { id, kind, attempts } = mail
  // Without the address, which the answer may contain, and without any of the content.
  logger.warn(
    { mail: toReference(prefixes.mail, id), kind, attempts, why: answer.why, state: verdict.state },
    'mail was not accepted by the relay',
  )
}

/** The attempt names the claim: a worker that outlived its lease changes nothing. */
async function record(db: Queryable, mail: ClaimedMail, verdict: MailVerdict): Promise<void> {
  const { state, dueAt, lastError, endedAt } = verdict
  await db.rows(sql`
    update mails set state = ${state}, due_at = ${dueAt}, last_error = ${lastError},
      ended_at = ${endedAt}
    where id = ${mail.id} and state = 'WAITING' and attempts = ${mail.attempts}`)
}

function toOutgoing(seal: Seal, mail: ClaimedMail): OutgoingMail {
  const content = JSON.parse(seal.open(mail.sealedContent)) as MailContent
  const { subject, sender } = content
  const logo = mailKinds[mail.kind].audience === 'payer' ? readLogo(mail.logo) : null
  return {
    reference: toReference(prefixes.mail, mail.id),
    to: mail.recipient,
    senderName: sender?.name ?? null,
    replyTo: sender?.replyTo ?? null,
    subject: subject.slice(0, mailLimits.subjectLengthMax),
    text: renderText(content),
    html: renderHtml(content, { hasLogo: logo !== null }),
    logo,
  }
}

function readLogo(dataUrl: string | null): OutgoingMail['logo'] {
  const [, contentType, base64] = /^data:(image\/\w+);base64,(.+)$/.exec(dataUrl ?? '') ?? []
  return contentType && base64 ? { contentType, bytes: Buffer.from(base64, 'base64') } : null
}

/** Returns how many mails were deleted. Mails that wait are kept, however old. */
export async function deleteOldMails(db: Queryable, now: RealTime): Promise<number> {
  const before = after(now, -mailLimits.retentionMs)
  await db.rows(sql`delete from mail_days where day < ${before.toISOString().slice(0, 10)}::date`)
  const rows = await db.rows(sql<{ id: string }>`
    delete from mails m using (
      select id from mails where id < ${firstIdAt(before)} and ended_at < ${before}
        and not is_held(${now}, environment_id, recipient, array[cause_id])
      order by id limit ${mailLimits.deletedPerBatchMax} for update skip locked) old
    where m.id = old.id returning m.id`)
  return rows.length
}
