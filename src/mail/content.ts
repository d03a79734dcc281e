/** A part of a mail. Text and HTML are made of the same parts. */
export type MailBlock =
  | { type: 'paragraph'; text: string }
  | { type: 'amount'; label: string; amount: string }
  | { type: 'facts'; facts: [name: string, value: string][] }
  /** `isSecret`: whoever has the URL can use it, so only its recipient and operators see it. */
  | { type: 'button'; label: string; url: string; isSecret: boolean }
  /** Smaller: what to do if something is wrong. */
  | { type: 'note'; text: string }

/** What a mail says, fixed when it is queued. */
export type MailContent = {
  subject: string
  /** Who writes; null: the installation itself, as in `MAIL_FROM`. */
  sender: MailSender | null
  heading: string
  blocks: MailBlock[]
  /** The merchant or service behind the mail, and why the recipient gets it. */
  reason: string
}

/** A merchant, as its checkout page names it. */
export type MailSender = {
  name: string
  colour: string | null
  replyTo: string | null
}

/** Times in mails are those of Nigeria, where merchants are, and say so. */
export function formatMailTime(time: Date): string {
  return `${timeFormat.format(time)} (Lagos)`
}

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Lagos',
  dateStyle: 'long',
  timeStyle: 'short',
})
