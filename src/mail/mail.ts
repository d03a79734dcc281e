import type { EnvironmentId, Mode } from '../base/environment.js'
import { column, Table } from '../postgres/table.js'
import type { MailKind } from './kinds.js'

export const mailStates = ['WAITING', 'KEPT', 'SENT', 'FAILED', 'SUPPRESSED'] as const
export type MailState = (typeof mailStates)[number]

export const mails = new Table('mails', {
  id: column.uuid(),
  environmentId: column.int4<EnvironmentId>().orNull(),
  mode: column.text<Mode>(),
  kind: column.text<MailKind>(),
  causeId: column.uuid(),
  recipient: column.text(),
  sealedContent: column.text(),
  state: column.text<MailState>(),
  dueAt: column.time(),
  attempts: column.int4(),
  lastError: column.text().orNull(),
  createdAt: column.time(),
  endedAt: column.time().orNull(),
})

export type Mail = typeof mails.row
