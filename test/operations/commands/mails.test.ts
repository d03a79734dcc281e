import { expect, test } from 'vitest'
import { day, hour } from '../../../src/base/clock.js'
import { createLogger } from '../../../src/base/log.js'
import { openMailbox } from '../../../src/mail/mailbox.js'
import { sendMails } from '../../../src/mail/send-mails.js'
import { suppress } from '../../../src/mail/suppressions.js'
import { examineMail } from '../../../src/operations/doctor/examine-mail.js'
import { sql } from '../../../src/postgres/sql.js'
import { createSmtpRelay } from '../../../src/rails/mail/smtp-relay.js'
import { afterFile } from '../../support/after-file.js'
import { freshDatabase } from '../../support/database.js'
import { openSmtpServer, readPart, relayConfig } from '../../support/smtp-server.js'
import { clock, createConsole, seal } from './commands.js'

const db = await freshDatabase()
afterFile(openMailbox(db.name, { seal, consoleUrl: undefined }))
const { run, runJson } = createConsole(db)
const logger = createLogger('silent')

const examine = (port?: number) =>
  examineMail({
    db,
    clock,
    config: { relay: port === undefined ? undefined : relayConfig(port), bounceSecret: undefined },
  })

test('an operator tests the relay, and sees what became of the mail', async () => {
  const server = await openSmtpServer()
  expect((await run('mail', 'list')).out).toContain('No mails.')
  const { reference } = await runJson('mail', 'send-test', 'ada@example.com')
  expect(await runJson('mail', 'list')).toMatchObject([
    { reference, kind: 'test', status: 'WAITING', recipient: 'ada@example.com' },
  ])
  const relay = createSmtpRelay(server.config)
  await sendMails({ db, clock, seal, logger, relay, mode: 'live' }, clock.now())
  expect(readPart(server.received[0]!, 'text/plain')).toContain('This mail was handed')
  expect((await run('mail', 'show', reference)).out).toContain('Status: SENT')
  expect(await runJson('mail', 'list', '--state', 'KEPT')).toEqual([])
  const [line] = await runJson('audit', 'list', '--limit', '1')
  expect(line).toMatchObject({ action: 'mail.show', details: { reference } })
})

test('what is no address, mail or suppression is refused', async () => {
  expect((await run('mail', 'send-test', 'nobody')).err).toContain('must be an e-mail address')
  expect((await run('mail', 'show', 'mail_1')).err).toContain('mail_1')
  expect((await run('mail', 'unsuppress', 'sup_1')).err).toContain('sup_1')
})

test('addresses that are suppressed for all are listed and removed', async () => {
  const address = 'gone@example.com'
  await db.transaction((tx) =>
    suppress(tx, clock.now(), seal, {
      environmentId: null,
      address,
      reason: 'bounce',
      detail: '550 Gone',
    }),
  )
  const [suppressed] = await runJson('mail', 'suppressions')
  expect(suppressed).toMatchObject({ address: 'g**@example.com', detail: '550 Gone' })
  const { out } = await run('mail', 'unsuppress', suppressed.reference)
  expect(out).toContain('g**@example.com gets mails again')
  expect(await runJson('mail', 'suppressions')).toEqual([])
})

test('the doctor reports mails that do not leave', async () => {
  await db.rows(sql`delete from mails`)
  expect(await examine()).toEqual([])
  expect(await examine(25)).toMatchObject([
    { state: 'ok', message: expect.stringContaining('127') },
  ])
  await runJson('mail', 'send-test', 'ada@example.com')
  const relay = createSmtpRelay(relayConfig(1))
  await sendMails({ db, clock, seal, logger, relay, mode: 'live' }, clock.now())
  clock.advance(2 * hour)
  expect(await examine(1)).toMatchObject([
    { state: 'warning', message: expect.stringContaining('ECONNREFUSED') },
  ])
  await sendMails({ db, clock, seal, logger, relay: undefined, mode: 'live' }, clock.now())
  clock.advance(day)
  expect(await examine()).toMatchObject([
    { state: 'warning', message: expect.stringContaining('mails of live mode were kept') },
  ])
})
