import { strict as assert } from 'node:assert'
import type { Seal } from '../base/sealed.js'
import type { Tx } from '../postgres/transactions/tx.js'

/** What a process needs to write mails: no use case has to know the installation's secret. */
export type Mailbox = {
  seal: Seal
  /** Where people sign in; undefined: mails name no page of the console. */
  consoleUrl: string | undefined
}

const mailboxes = new Map<string, Mailbox[]>()

/** Lets the transactions of this process on a database queue mails. Returns `close`. */
export function openMailbox(databaseName: string, mailbox: Mailbox): () => void {
  mailboxes.set(databaseName, [...(mailboxes.get(databaseName) ?? []), mailbox])
  return () => {
    const others = (mailboxes.get(databaseName) ?? []).filter((other) => other !== mailbox)
    if (others.length > 0) mailboxes.set(databaseName, others)
    else mailboxes.delete(databaseName)
  }
}

export function getMailbox(tx: Tx): Mailbox {
  const mailbox = mailboxes.get(tx.databaseName)?.at(-1)
  assert(mailbox, 'a process that writes mails has opened a mailbox')
  return mailbox
}
