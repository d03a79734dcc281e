import { createTransport } from 'nodemailer'
import type { MailConfig } from '../../base/config.js'
import { mailLimits } from '../../mail/limits.js'
import type { MailRelay, OutgoingMail, RelayAnswer } from '../../mail/ports.js'

type RelayConfig = NonNullable<MailConfig['relay']>

/** Times of an attempt; tests use shorter ones. */
type RelayTimes = { connectMs: number; answerMs: number; sendMs: number }

/**
 * Hands mails to an SMTP server, each over a connection of its own: a pool would send a mail again
 * by itself when a connection closes, and only the outbox may decide that.
 */
export function createSmtpRelay(config: RelayConfig, times: RelayTimes = mailLimits): MailRelay {
  const { host, port, isSecure, requiresTls, user, password, from } = config
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: requiresTls,
    ...(user !== undefined && { auth: { user, pass: password?.reveal() ?? '' } }),
    connectionTimeout: times.connectMs,
    greetingTimeout: times.answerMs,
    socketTimeout: times.answerMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)

  async function send(mail: OutgoingMail): Promise<RelayAnswer> {
    try {
      await withDeadline(times.sendMs, transport.sendMail(toMessage(mail)))
      return { isAccepted: true }
    } catch (error) {
      return readFailure(error as SmtpError)
    }
  }

  function toMessage({
    reference,
    to,
    senderName,
    replyTo,
    subject,
    text,
    html,
    logo,
  }: OutgoingMail) {
    return {
      messageId: `<${reference}@${domain}>`,
      from: { name: senderName ?? from.name, address: from.address },
      to: { name: '', address: to },
      ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
      subject,
      text,
      html,
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments: logo
        ? [{ cid: 'logo', filename: 'logo', contentType: logo.contentType, content: logo.bytes }]
        : [],
    }
  }

  return { send }
}

/** A relay that answers just in time, again and again, must not hold a worker for ever. */
async function withDeadline<Result>(deadlineMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error('The relay took too long to accept the mail.')),
      deadlineMs,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

type SmtpError = Error & {
  responseCode?: number
  response?: string
  command?: string
  rejectedErrors?: SmtpError[]
}

/**
 * Only an answer to the recipient or to the content says something about the mail. Everything else,
 * such as a wrong password, an unknown sender or a full relay, is mended by the operator or passes.
 */
export function readFailure(error: SmtpError): RelayAnswer {
  const { command, responseCode = 0, response } = error.rejectedErrors?.[0] ?? error
  const text = response ?? error.message
  const isAboutMail = command === 'RCPT TO' || command === 'DATA'
  if (responseCode < 500 || !isAboutMail)
    return { isAccepted: false, why: 'temporary', error: text }
  const hasMailbox = command !== 'RCPT TO' || !saysNoMailbox(responseCode, text)
  return { isAccepted: false, why: hasMailbox ? 'refused' : 'no_mailbox', error: text }
}

/** By the enhanced status (RFC 3463), if there is one: 550 is also the answer to spam. */
function saysNoMailbox(responseCode: number, text: string): boolean {
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(text)?.[1]
  return enhanced === undefined ? responseCode === 550 : enhanced.startsWith('5.1.')
}
