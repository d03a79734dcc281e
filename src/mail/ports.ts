/** A mail as it is handed to a relay. */
export type OutgoingMail = {
  /** The same at every attempt, so that a second copy is recognised as the same mail. */
  reference: string
  to: string
  /** Null: as `MAIL_FROM` says. */
  senderName: string | null
  replyTo: string | null
  subject: string
  text: string
  html: string
  /** A picture that the HTML shows as `cid:logo`. */
  logo: { contentType: string; bytes: Buffer } | null
}

/**
 * `refused`: this mail will never be accepted. `no_mailbox`: nor will any other to this address.
 * `temporary`: everything else, also an unknown outcome.
 */
export type RelayAnswer =
  | { isAccepted: true }
  | { isAccepted: false; why: 'temporary' | 'refused' | 'no_mailbox'; error: string }

/** Hands mails to a server that delivers them. Never throws for an answer of the relay. */
export type MailRelay = { send(mail: OutgoingMail): Promise<RelayAnswer> }
