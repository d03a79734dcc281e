import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { Secret } from '../../../src/base/secret.js'
import type { OutgoingMail } from '../../../src/mail/ports.js'
import { createSmtpRelay, readFailure } from '../../../src/rails/mail/smtp-relay.js'
import { whenDone } from '../../support/open-manilla.js'
import { openSmtpServer, readPart, relayConfig } from '../../support/smtp-server.js'

const times = { connectMs: 20_000, answerMs: 20_000, sendMs: 40_000 }

const mail: OutgoingMail = {
  reference: 'mail_1',
  to: 'ada@example.com',
  senderName: null,
  replyTo: null,
  subject: 'Subject',
  text: 'Text',
  html: '<p>HTML</p>',
  logo: null,
}

/** A server that says nothing of TLS, and remembers what it was told. */
async function openPlainServer(answers: Record<string, string>) {
  const heard: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {}).write('220 plain\r\n')
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\r\n').filter(Boolean)) {
        heard.push(line)
        const word = line.split(' ')[0]!
        socket.write(`${answers[word] ?? '250 OK'}\r\n`)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(() => server.close())
  return { heard, port: (server.address() as AddressInfo).port }
}

test('a relay without TLS gets neither password nor mail', async () => {
  const { heard, port } = await openPlainServer({ EHLO: '250-plain\r\n250 AUTH PLAIN' })
  const password = new Secret('the password of the relay')
  const config = { ...relayConfig(port), requiresTls: true, user: 'ada', password }
  const answer = await createSmtpRelay(config, times).send(mail)
  expect(answer).toMatchObject({ isAccepted: false, why: 'temporary' })
  expect(heard.map((line) => line.split(' ')[0])).not.toContain('AUTH')
  expect(heard.join()).not.toContain('ada@example.com')
  expect(JSON.stringify(answer)).not.toContain(password.reveal())
})

test('a wrong password is the fault of the set-up, not of the mail', async () => {
  const { port } = await openPlainServer({
    EHLO: '250-plain\r\n250 AUTH PLAIN',
    AUTH: '535 5.7.8 Wrong password',
  })
  const config = { ...relayConfig(port), user: 'ada', password: new Secret('wrong') }
  const answer = await createSmtpRelay(config, times).send(mail)
  expect(answer).toMatchObject({ isAccepted: false, why: 'temporary' })
})

test('a sender that the relay does not know is the fault of the set-up, too', async () => {
  const { port } = await openPlainServer({ MAIL: '550 5.1.8 Unknown sender' })
  const answer = await createSmtpRelay(relayConfig(port), times).send(mail)
  expect(answer).toMatchObject({ isAccepted: false, why: 'temporary' })
})

test('names, subjects and addresses cannot add headers or recipients', async () => {
  const server = await openSmtpServer()
  const relay = createSmtpRelay(server.config, times)
  const injected = 'Ada\r\nBcc: victim@example.com'
  await relay.send({ ...mail, senderName: injected, subject: injected, replyTo: 'a@b.example' })
  const [received] = server.received
  expect(received!.to).toBe('ada@example.com')
  expect(received!.headers.has('bcc')).toBe(false)
  expect(received!.headers.get('from')).toContain('<no-reply@pay.example>')
  expect(received!.headers.get('reply-to')).toBe('a@b.example')
})

test('letters of every language arrive as they are', async () => {
  const server = await openSmtpServer()
  const text = 'Ẹ ṣeun, Adébáyọ̀: ₦12,500 – 谢谢'
  await createSmtpRelay(server.config, times).send({ ...mail, text, subject: text })
  expect(readPart(server.received[0]!, 'text/plain')).toContain(text)
})

test('a logo is part of the mail, and nothing is loaded from elsewhere', async () => {
  const server = await openSmtpServer()
  const logo = { contentType: 'image/png', bytes: Buffer.from('picture') }
  const html = '<img src="cid:logo"> <img src="/etc/passwd">'
  await createSmtpRelay(server.config, times).send({ ...mail, html, logo })
  const { source } = server.received[0]!
  expect(source).toMatch(/^Content-ID: <logo>/im)
  expect(source).toContain(logo.bytes.toString('base64'))
  expect(source).not.toContain('root:')
})

test.each([
  ['RCPT TO', '550 5.1.1 No such user', 'no_mailbox'],
  ['RCPT TO', '550 No such user', 'no_mailbox'],
  ['RCPT TO', '550-5.1.1 No such user\n550 5.1.1 Try another', 'no_mailbox'],
  ['RCPT TO', '553 5.1.3 Bad address', 'no_mailbox'],
  ['RCPT TO', '550 5.7.1 Blocked', 'refused'],
  ['RCPT TO', '552 5.2.2 Full', 'refused'],
  ['RCPT TO', '450 4.2.0 Greylisted', 'temporary'],
  ['DATA', '550 5.1.1 No such user', 'refused'],
  ['DATA', '554 Spam', 'refused'],
  ['DATA', '451 Later', 'temporary'],
  ['MAIL FROM', '550 5.1.8 Unknown sender', 'temporary'],
  ['AUTH PLAIN', '535 Wrong', 'temporary'],
  ['CONN', '554 Go away', 'temporary'],
])('%s answered with %s is %s', (command, response, why) => {
  const responseCode = Number.parseInt(response, 10)
  const error = Object.assign(new Error('x'), { command, response, responseCode })
  expect(readFailure(error)).toMatchObject({ isAccepted: false, why })
})
