import type { Language } from '../base/languages.js'

/** A part of a mail. Text and HTML are made of the same parts. */
export type MailBlock =
  | { type: 'paragraph'; text: string }
  | { type: 'amount'; label: string; amount: string }
  | { type: 'facts'; facts: [name: string, value: string][] }
  /** `isSecret`: the URL is enough to use it, so only its recipient and operators see it. */
  | { type: 'button'; label: string; url: string; isSecret: boolean }
  /** Smaller: what to do if something is wrong. */
  | { type: 'note'; text: string }

/** A part of a mail that is about to be queued: `page` becomes a button, if its URL is known. */
export type DraftBlock =
  | MailBlock
  /** A page of the console, which asks to sign in. */
  | { type: 'page'; label: string; path: string }

/** What a mail says, fixed when it is queued. */
export type MailContent = MailTexts & { blocks: MailBlock[] }

export type MailDraft = MailTexts & { blocks: DraftBlock[] }

type MailTexts = {
  /** Left out: English. */
  language?: Language
  subject: string
  /** Who writes; null: the installation itself, as in `MAIL_FROM`. */
  sender: MailSender | null
  heading: string
  /** The merchant or service behind the mail, and why the recipient gets it. */
  reason: string
}

/** A merchant, as its checkout page names it. */
export type MailSender = {
  name: string
  colour: string | null
  replyTo: string | null
}

/** The mail with buttons for pages of the console; without them if its address is unknown. */
export function completeDraft(draft: MailDraft, consoleUrl: string | undefined): MailContent {
  const blocks = draft.blocks.flatMap((block): MailBlock[] => {
    if (block.type !== 'page') return [block]
    if (consoleUrl === undefined) return []
    const url = `${consoleUrl}/console${block.path}`
    return [{ type: 'button', label: block.label, url, isSecret: false }]
  })
  return { ...draft, blocks }
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

/** What the service adds to the content of every mail. */
const english = {
  questions: (address: string) => `Questions? Reply to this mail, or write to ${address}.`,
  orOpen: 'Or open:',
}

const french: typeof english = {
  questions: (address) => `Des questions\u00a0? Répondez à ce message ou écrivez à ${address}.`,
  orOpen: 'Ou ouvrez\u00a0:',
}

export const frameTexts: Record<Language, typeof english> = { en: english, fr: french }
