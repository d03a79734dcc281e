import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { openMailbox } from '../../src/mail/mailbox.js'
import { queueMails } from '../../src/mail/queue-mails.js'
import { listAllMails } from '../../src/mail/store-mails.js'
import { afterFile } from '../support/after-file.js'
import { freshDatabase } from '../support/database.js'
import { spawnWork } from '../support/program.js'
import { openSession, until, untilInTheWay } from '../support/sessions.js'
import { openSmtpServer } from '../support/smtp-server.js'
import { trackPrograms } from '../support/track-programs.js'

const db = await freshDatabase()
const programs = trackPrograms()
const secret = new Secret(randomBytes(32).toString('hex'))
afterFile(openMailbox(db.name, { seal: createSeal(secret), consoleUrl: undefined }))
const token = 'token-of-the-invitation'

// The relay has accepted the mail. A transaction of the test holds its row, so the worker cannot
// record it; there it is killed. Another worker cannot know, and sends it once more.
test('a worker killed after the relay accepted a mail: it is sent once more, as the same', async () => {
  const server = await openSmtpServer()
  const holder = await openSession(db)
  server.behave({
    async onMessage() {
      await holder.query('begin')
      await holder.query('select from mails for update')
    },
  })
  const startWorker = () => {
    const program = spawnWork(db.url, secret.reveal(), {
      SMTP_URL: server.url,
      MAIL_FROM: 'Manilla <no-reply@pay.example>',
    })
    programs.push(program)
    return program
  }
  const now = new Date()
  const [id] = await db.transaction(async (tx) =>
    queueMails(tx, now, [
      {
        environmentId: null,
        mode: 'live',
        kind: 'test',
        causeId: newId(now),
        recipient: 'ada@example.com',
        content: {
          subject: 'Once more',
          sender: null,
          heading: 'Once more',
          blocks: [
            { type: 'button', label: 'Join', url: `https://a.example/${token}`, isSecret: true },
          ],
          reason: 'Sent to test a kill.',
        },
      },
    ]),
  )
  const victim = startWorker()
  await until(() => server.received.length === 1)
  await untilInTheWay(db, holder)
  victim.signal('SIGKILL')
  await victim.ended
  await holder.query('rollback')
  server.behave({})
  const [claimed] = await listAllMails(db, { limit: 1 })
  expect(claimed).toMatchObject({ state: 'WAITING', attempts: 1 })

  const heir = startWorker()
  await until(async () => (await listAllMails(db, { limit: 1 }))[0]!.state === 'SENT')
  const messageId = `<${toReference(prefixes.mail, id!)}@pay.example>`
  expect(server.received.map(({ headers }) => headers.get('message-id'))).toEqual([
    messageId,
    messageId,
  ])
  expect(server.received[1]!.source).toContain(token)
  for (const program of [victim, heir]) expect(program.text()).not.toContain(token)
})
