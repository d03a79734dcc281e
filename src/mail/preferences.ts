import type { RealTime } from '../base/clock.js'
import { sql } from '../postgres/sql.js'
import { upsert } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { type MailKind, mailKinds, optionalKinds } from './kinds.js'

/** A kind of mail that a user can switch off. */
export type MailPreference = { kind: MailKind; title: string; isOn: boolean }

/** Alerts for operators are listed for operators only. */
export async function listPreferences(
  db: Queryable,
  { userId, isOperator }: { userId: string; isOperator: boolean },
): Promise<MailPreference[]> {
  const rows = await db.rows(sql<{ kind: MailKind }>`
    select kind from mail_preferences where user_id = ${userId} and not is_on`)
  const off = new Set(rows.map(({ kind }) => kind))
  return optionalKinds
    .filter((kind) => isOperator || mailKinds[kind].audience !== 'operators')
    .map((kind) => ({ kind, title: mailKinds[kind].title, isOn: !off.has(kind) }))
}

export function setPreference(
  tx: Tx,
  now: RealTime,
  { userId, kind, isOn }: { userId: string; kind: MailKind; isOn: boolean },
): void {
  tx.write(upsert('mail_preferences', { userId, kind }, { isOn, changedAt: now }))
}

/** Whether a user wants mails of a kind. */
export async function wantsMail(
  db: Queryable,
  { userId, kind }: { userId: string; kind: MailKind },
): Promise<boolean> {
  const rows = await db.rows(sql`
    select from mail_preferences where user_id = ${userId} and kind = ${kind} and not is_on`)
  return rows.length === 0
}
