import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import type { MailConfig } from '../../src/base/config.js'
import { whenDone } from './open-manilla.js'

/** A mail that the server accepted, or was about to. */
export type ReceivedMail = {
  to: string
  /** Headers by name in lower case, unfolded. */
  headers: Map<string, string>
  /** The whole message as it was sent. */
  source: string
}

/** What the server does with the next mails. An error has an SMTP code. */
export type SmtpBehaviour = {
  onRecipient?: (address: string) => Promise<void> | void
  /** Called when the whole message has arrived, before it is accepted. */
  onMessage?: (mail: ReceivedMail) => Promise<void> | void
  /** Closes the connection within the message. */
  closesInMessage?: boolean
  /** The connection is refused with this code. */
  greeting?: { code: number; message: string }
}

export function smtpError(code: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode: code })
}

/** A real SMTP server on loopback. It forgets nothing: `received` has every accepted mail. */
export async function openSmtpServer(behaviour: SmtpBehaviour = {}) {
  const received: ReceivedMail[] = []
  const state = { behaviour, connections: 0 }
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onConnect(_session, callback) {
      state.connections += 1
      const { greeting } = state.behaviour
      callback(greeting ? smtpError(greeting.code, greeting.message) : null)
    },
    onRcptTo({ address }, _session, callback) {
      void settle(async () => state.behaviour.onRecipient?.(address), callback)
    },
    onData(stream, session, callback) {
      if (state.behaviour.closesInMessage) {
        stream.resume()
        for (const connection of server.connections) connection.close()
        return
      }
      void (async () => {
        const source = await text(stream)
        const to = session.envelope.rcptTo.map(({ address }) => address).join(',')
        const mail = { to, headers: readHeaders(source), source }
        await settle(async () => {
          await state.behaviour.onMessage?.(mail)
          received.push(mail)
        }, callback)
        // The client may be killed within the message.
      })().catch(callback)
    },
  })
  // Connections that a test breaks are no failure of the server.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  whenDone(close)
  return {
    received,
    url: `smtp://127.0.0.1:${port}`,
    config: relayConfig(port),
    get connections() {
      return state.connections
    },
    behave(next: SmtpBehaviour) {
      state.behaviour = next
    },
    close,
  }
}

export function relayConfig(port: number): NonNullable<MailConfig['relay']> {
  return {
    host: '127.0.0.1',
    port,
    isSecure: false,
    requiresTls: false,
    user: undefined,
    password: undefined,
    from: { name: 'Manilla', address: 'no-reply@pay.example' },
  }
}

async function settle(
  work: () => Promise<void>,
  callback: (error?: Error | null) => void,
): Promise<void> {
  try {
    await work()
    callback()
  } catch (error) {
    callback(error as Error)
  }
}

function readHeaders(source: string): Map<string, string> {
  const [head = ''] = source.split('\r\n\r\n')
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return new Map(
    lines.map((line) => {
      const [name = '', value = ''] = line.split(/: ?(.*)/)
      return [name.toLowerCase(), value]
    }),
  )
}

/** The decoded part of a message with this content type. */
export function readPart({ source }: ReceivedMail, contentType: string): string {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(source) ?? []
  const parts = boundary === '' ? [source] : splitParts(source)
  const part = parts.find((text) => new RegExp(`^content-type: ${contentType}`, 'im').test(text))
  const [head = '', ...rest] = (part ?? '').split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  if (/quoted-printable/i.test(head)) return decodeQuoted(body)
  return /base64/i.test(head) ? Buffer.from(body, 'base64').toString('utf8') : body
}

function splitParts(source: string): string[] {
  const boundaries = [...source.matchAll(/boundary="([^"]+)"/g)].map(([, text]) => `--${text}`)
  let parts = [source]
  for (const boundary of boundaries) parts = parts.flatMap((part) => part.split(boundary))
  return parts.map((part) => part.replace(/^\r\n/, ''))
}

function decodeQuoted(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
