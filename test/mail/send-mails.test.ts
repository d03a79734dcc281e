import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { day, minute } from '../../src/base/clock.js'
import type { Mode } from '../../src/base/environment.js'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { createLogger } from '../../src/base/log.js'
import { createSeal, type Seal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import type { MailContent } from '../../src/mail/content.js'
import { mailLimits } from '../../src/mail/limits.js'
import type { Mail } from '../../src/mail/mail.js'
import { openMailbox } from '../../src/mail/mailbox.js'
import { type NewMail, queueMails } from '../../src/mail/queue-mails.js'
import { deleteOldMails, sendMails } from '../../src/mail/send-mails.js'
import { listAllMails, resealMails } from '../../src/mail/store-mails.js'
import { findSuppressed, suppress } from '../../src/mail/suppressions.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { createSmtpRelay } from '../../src/rails/mail/smtp-relay.js'
import { afterFile } from '../support/after-file.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { openSmtpServer, readPart, relayConfig, smtpError } from '../support/smtp-server.js'

// Mails are handed to a real SMTP server on loopback, which behaves badly.

/** Long, so that a busy machine is not taken for a slow relay. */
const times = { connectMs: 20_000, answerMs: 20_000, sendMs: 40_000 }
const short = { ...times, answerMs: 300 }
const token = 'token-that-must-not-be-readable'

const content: MailContent = {
  subject: 'You are invited',
  sender: null,
  heading: 'Join Ada Stores',
  blocks: [
    { type: 'paragraph', text: 'Ngozi <script>alert(1)</script> invites you.' },
    { type: 'button', label: 'Join', url: `https://pay.example/join/${token}`, isSecret: true },
  ],
  reason: 'Sent because Ada Stores invited you.',
}

let db: Database
let seal: Seal
let secret: Secret
let clock: ReturnType<typeof manualClock>
let log: string[]
let environments: Awaited<ReturnType<typeof createMerchant>>['environments']

beforeAll(async () => {
  db = await freshDatabase()
  secret = new Secret(randomBytes(32).toString('hex'))
  seal = createSeal(secret)
  afterFile(openMailbox(db.name, { seal, consoleUrl: undefined }))
  const made = await db.transaction((tx) => createMerchant(tx, new Date(), 'Ada Stores'))
  environments = made.environments
})

beforeEach(async () => {
  clock = manualClock()
  log = []
  await db.rows(sql`delete from mails`)
  await db.rows(sql`delete from mail_days`)
  await db.rows(sql`delete from mail_suppressions`)
})

type Server = Awaited<ReturnType<typeof openSmtpServer>>

async function queue(mail: Partial<NewMail> = {}): Promise<NewMail> {
  const queued: NewMail = {
    environmentId: environments.live.id,
    mode: 'live',
    kind: 'invitation',
    causeId: newId(clock.now()),
    recipient: 'ada@example.com',
    content,
    ...mail,
  }
  await db.transaction(async (tx) => queueMails(tx, clock.now(), [queued]))
  return queued
}

function send(
  server: Pick<Server, 'config'> | undefined,
  mode: Mode = 'live',
  relayTimes: typeof times = times,
) {
  const logger = createLogger('trace', { write: (line) => log.push(line) })
  const relay = server && createSmtpRelay(server.config, relayTimes)
  return sendMails({ db, clock, seal, logger, relay, mode }, clock.now())
}

async function onlyMail(): Promise<Mail> {
  const found = await listAllMails(db, { limit: 10 })
  expect(found).toHaveLength(1)
  return found[0]!
}

test('a mail is sent once, as text and as HTML, with an id of its own', async () => {
  const server = await openSmtpServer()
  await queue()
  expect(await send(server)).toBe(1)
  const mail = await onlyMail()
  expect(mail).toMatchObject({ state: 'SENT', attempts: 1, lastError: null, endedAt: clock.now() })
  const [received] = server.received
  expect(received!.headers.get('message-id')).toBe(
    `<${toReference(prefixes.mail, mail.id)}@pay.example>`,
  )
  expect(received!.headers.get('from')).toBe('Manilla <no-reply@pay.example>')
  expect(received!.headers.get('to')).toBe('ada@example.com')
  expect(received!.headers.get('auto-submitted')).toBe('auto-generated')
  expect(readPart(received!, 'text/plain')).toContain(`https://pay.example/join/${token}`)
  const html = readPart(received!, 'text/html')
  expect(html).toContain('Ngozi &lt;script&gt;alert(1)&lt;/script&gt; invites you.')
  expect(html).not.toMatch(/<img/)
  expect(await send(server)).toBe(0)
  expect(server.received).toHaveLength(1)
})

test('the same cause, kind and recipient give one mail, however often it is queued', async () => {
  const { causeId } = await queue()
  await Promise.all([queue({ causeId }), queue({ causeId }), queue({ causeId })])
  await onlyMail()
  await queue({ causeId, recipient: 'obi@example.com' })
  expect(await listAllMails(db, { limit: 10 })).toHaveLength(2)
})

test('a mail whose cause is rolled back does not exist', async () => {
  const failing = db.transaction(async (tx) => {
    const mail = {
      environmentId: null,
      mode: 'live',
      kind: 'test',
      recipient: 'a@b.example',
    } as const
    queueMails(tx, clock.now(), [{ ...mail, causeId: newId(clock.now()), content }])
    await tx.rows(sql`select 1`)
    throw new Error('the cause failed')
  })
  await expect(failing).rejects.toThrow('the cause failed')
  expect(await listAllMails(db, { limit: 10 })).toEqual([])
})

test('an address that no relay would take is left out, and its cause goes on', async () => {
  await queue({ recipient: 'ada@example.com, all@example.com' })
  await queue({ recipient: `${'a'.repeat(250)}@example.com` })
  expect(await listAllMails(db, { limit: 10 })).toEqual([])
})

test('contents are sealed at rest, and neither they nor addresses are logged', async () => {
  const server = await openSmtpServer({
    onMessage: () => {
      throw smtpError(451, 'Try again')
    },
  })
  await queue()
  await send(server)
  const [row] = await db.rows(sql<{ row: string }>`select mails::text as row from mails`)
  expect(row!.row).not.toContain(token)
  expect(row!.row).not.toContain('invited')
  expect(log.join('\n')).toContain('mail was not accepted')
  expect(log.join('\n')).not.toContain(token)
  expect(log.join('\n')).not.toContain('ada@example.com')
})

describe('a relay that fails', () => {
  const expectRetry = async (error: RegExp) => {
    const mail = await onlyMail()
    expect(mail).toMatchObject({ state: 'WAITING', attempts: 1, endedAt: null })
    expect(mail.lastError).toMatch(error)
    expect(mail.dueAt).toEqual(new Date(clock.now().getTime() + minute))
  }

  test('refuses connections: the mail is retried', async () => {
    const gone = await openSmtpServer()
    await gone.close()
    await queue()
    await send(gone)
    await expectRetry(/ECONNREFUSED/)
  })

  test('answers too late: the mail is retried', async () => {
    const server = await openSmtpServer({
      onRecipient: () => new Promise((resolve) => setTimeout(resolve, 10_000).unref()),
    })
    await queue()
    await send(server, 'live', short)
    await expectRetry(/time/i)
    expect(server.received).toEqual([])
  })

  test('answers in time, again and again: the mail is retried after a while', async () => {
    const server = await openSmtpServer({
      onMessage: () => new Promise((resolve) => setTimeout(resolve, 250).unref()),
    })
    await queue()
    const relay = createSmtpRelay(server.config, { ...times, sendMs: 100 })
    const logger = createLogger('silent')
    await sendMails({ db, clock, seal, logger, relay, mode: 'live' }, clock.now())
    await expectRetry(/took too long/)
  })

  test('closes the connection in the middle of a mail: the mail is retried', async () => {
    const server = await openSmtpServer({ closesInMessage: true })
    await queue()
    await send(server)
    await expectRetry(/closed/i)
  })

  test.each([421, 451])('answers %d to the content: the mail is retried', async (code) => {
    const server = await openSmtpServer({
      onMessage: () => {
        throw smtpError(code, 'Try again later')
      },
    })
    await queue()
    await send(server)
    await expectRetry(/Try again later/)
  })

  test('answers 452 to the recipient: the mail is retried', async () => {
    const server = await openSmtpServer({
      onRecipient: () => {
        throw smtpError(452, '4.2.2 Mailbox full')
      },
    })
    await queue()
    await send(server)
    await expectRetry(/Mailbox full/)
  })

  test('turns us away at the door: that says nothing about the mail, which is retried', async () => {
    const server = await openSmtpServer({ greeting: { code: 554, message: 'No service for you' } })
    await queue()
    await send(server)
    await expectRetry(/No service for you/)
  })

  test('answers 554 to the content: the mail has failed, and its address stays', async () => {
    const server = await openSmtpServer({
      onMessage: () => {
        throw smtpError(554, '5.7.1 Looks like spam')
      },
    })
    await queue()
    await send(server)
    expect(await onlyMail()).toMatchObject({ state: 'FAILED', attempts: 1 })
    server.behave({})
    await queue()
    await send(server)
    expect(server.received).toHaveLength(1)
  })

  test('answers 550 5.7.1 to the recipient: a policy, so the address stays', async () => {
    const server = await openSmtpServer({
      onRecipient: () => {
        throw smtpError(550, '5.7.1 Blocked')
      },
    })
    await queue()
    await send(server)
    expect(await onlyMail()).toMatchObject({ state: 'FAILED' })
    expect(await db.rows(sql`select from mail_suppressions`)).toHaveLength(0)
  })

  test.each(['5.1.1 No such user', 'No such user'])(
    'answers 550 %s: the address gets no more mail of this merchant',
    async (message) => {
      const server = await openSmtpServer({
        onRecipient: () => {
          throw smtpError(550, message)
        },
      })
      await queue({ recipient: 'Gone@example.com' })
      await send(server)
      expect(await onlyMail()).toMatchObject({ state: 'FAILED' })
      const [row] = await db.rows(sql<{ row: string }>`
        select s::text as row from mail_suppressions s`)
      expect(row!.row).toContain('g**@example.com')
      expect(row!.row).not.toContain('gone@')
      server.behave({})
      await db.rows(sql`delete from mails`)
      await queue({ recipient: 'gone@EXAMPLE.com' })
      await send(server)
      expect(await onlyMail()).toMatchObject({ state: 'SUPPRESSED' })
      await queue({ recipient: 'gone@example.com', environmentId: null })
      await send(server)
      expect(server.received.map(({ to }) => to)).toEqual(['gone@example.com'])
    },
  )

  test('for days: the mail is given up after the published delays', async () => {
    const gone = { config: relayConfig(1) }
    await queue()
    const delays: number[] = []
    for (;;) {
      await send(gone)
      const mail = await onlyMail()
      expect(await send(gone)).toBe(0)
      if (mail.state !== 'WAITING') break
      delays.push(mail.dueAt.getTime() - clock.now().getTime())
      clock.advance(delays.at(-1)!)
    }
    expect(delays).toEqual(mailLimits.retryDelaysMs)
    expect(await onlyMail()).toMatchObject({ state: 'FAILED', attempts: delays.length + 1 })
  })

  test('and recovers: the mail is sent with the same Message-ID', async () => {
    const seen: (string | undefined)[] = []
    const server = await openSmtpServer({
      onMessage: ({ headers }) => {
        seen.push(headers.get('message-id'))
        throw smtpError(451, 'Try again later')
      },
    })
    await queue()
    await send(server)
    server.behave({})
    clock.advance(minute)
    await send(server)
    expect(server.received.map(({ headers }) => headers.get('message-id'))).toEqual(seen)
    expect(await onlyMail()).toMatchObject({ state: 'SENT', attempts: 2, lastError: null })
  })
})

test('a mail that cannot be opened is retried, and holds up no other', async () => {
  const server = await openSmtpServer()
  await queue({ recipient: 'broken@example.com' })
  await db.rows(sql`update mails set sealed_content = 'AAAA'`)
  for (const name of ['one', 'two', 'three', 'four', 'five'])
    await queue({ recipient: `${name}@example.com` })
  await send(server)
  expect(server.received).toHaveLength(5)
  const broken = (await listAllMails(db, { limit: 10 })).find(({ state }) => state === 'WAITING')
  expect(broken).toMatchObject({ recipient: 'broken@example.com', attempts: 1 })
})

test('a worker that stops hands no more mails over, and another sends them', async () => {
  const server = await openSmtpServer()
  for (const name of ['one', 'two', 'three', 'four', 'five', 'six'])
    await queue({ recipient: `${name}@example.com` })
  const relay = createSmtpRelay(server.config, times)
  const logger = createLogger('silent')
  const isStopping = () => server.received.length > 0
  await sendMails({ db, clock, seal, logger, relay, isStopping, mode: 'live' }, clock.now())
  // Those that were under way are finished and recorded.
  expect(server.received.length).toBeLessThanOrEqual(mailLimits.parallelMax)
  clock.advance(minute)
  await send(server)
  expect(server.received.map(({ to }) => to).sort()).toEqual(
    ['five', 'four', 'one', 'six', 'three', 'two'].map((name) => `${name}@example.com`),
  )
})

test('without a relay, mails are kept', async () => {
  await queue()
  await send(undefined)
  expect(await onlyMail()).toMatchObject({ state: 'KEPT' })
  const server = await openSmtpServer()
  clock.advance(day)
  expect(await send(server)).toBe(0)
})

test('in test mode, only addresses that the merchant allows get mail', async () => {
  const server = await openSmtpServer()
  const { id } = environments.test
  await db.rows(sql`
    insert into environment_settings (environment_id, document, version, updated_at)
    values (${id}, ${JSON.stringify({ mails: { testAddresses: ['Me@example.com'] } })}, 1,
      ${clock.now()})`)
  await queue({ environmentId: id, mode: 'test', recipient: 'payer@example.com' })
  await queue({ environmentId: id, mode: 'test', recipient: 'me@example.com' })
  expect(await send(server)).toBe(0)
  expect(await send(server, 'test')).toBe(2)
  expect(server.received.map(({ to }) => to)).toEqual(['me@example.com'])
  const states = (await listAllMails(db, { limit: 10 })).map(({ recipient, state }) => [
    recipient,
    state,
  ])
  expect(new Map(states as [string, string][])).toEqual(
    new Map([
      ['payer@example.com', 'KEPT'],
      ['me@example.com', 'SENT'],
    ]),
  )
})

test('mails beyond the limit of a merchant wait until tomorrow and are not dropped', async () => {
  const server = await openSmtpServer()
  const other = await db.transaction((tx) => createMerchant(tx, clock.now(), 'Obi Ltd'))
  await db.rows(sql`
    insert into mail_days (environment_id, day, started)
    values (${environments.live.id}, '2026-01-05', ${mailLimits.perDayMax - 2})`)
  for (const name of ['one', 'two', 'three', 'four'])
    await queue({ recipient: `${name}@a.example` })
  await queue({ environmentId: other.environments.live.id, recipient: 'other@a.example' })
  await send(server)
  expect(server.received).toHaveLength(3)
  expect(server.received.map(({ to }) => to)).toContain('other@a.example')
  expect(await send(server)).toBe(0)
  const waiting = (await listAllMails(db, { limit: 10 })).filter(({ state }) => state === 'WAITING')
  expect(waiting.map(({ attempts, dueAt }) => [attempts, dueAt.toISOString()])).toEqual([
    [0, '2026-01-06T00:00:00.000Z'],
    [0, '2026-01-06T00:00:00.000Z'],
  ])
  clock.advance(day)
  await send(server)
  expect(server.received).toHaveLength(5)
})

test('two workers at once send each mail once', async () => {
  const server = await openSmtpServer()
  for (let number = 0; number < 30; number += 1) await queue({ recipient: `p${number}@a.example` })
  const workers = [send(server), send(server), send(server)]
  const sent = await Promise.all(workers)
  expect(sent.reduce((sum, count) => sum + count, 0)).toBe(30)
  const recipients = server.received.map(({ to }) => to)
  expect(new Set(recipients).size).toBe(30)
  expect(recipients).toHaveLength(30)
})

test('a rotated secret opens nothing that was not sealed again, and finds all suppressions', async () => {
  await queue()
  await db.transaction((tx) =>
    suppress(tx, clock.now(), seal, {
      environmentId: null,
      address: 'gone@example.com',
      reason: 'bounce',
      detail: null,
    }),
  )
  const next = createSeal(new Secret(randomBytes(32).toString('hex')), { old: secret })
  const recipient = { environmentId: null, address: 'gone@example.com' }
  expect((await findSuppressed(db, next, [recipient])).size).toBe(1)
  expect(await resealMails(db, next)).toBe(2)
  expect(await resealMails(db, next)).toBe(0)
  const { sealedContent } = await onlyMail()
  expect(JSON.parse(next.open(sealedContent))).toEqual(content)
  expect(() => seal.open(sealedContent)).toThrow()
  expect((await findSuppressed(db, seal, [recipient])).size).toBe(0)
  expect((await findSuppressed(db, next, [recipient])).size).toBe(1)
})

test('old mails are deleted once they have ended', async () => {
  await queue()
  await send(undefined)
  await queue({ recipient: 'waits@example.com' })
  clock.advance(mailLimits.retentionMs - day)
  expect(await deleteOldMails(db, clock.now())).toBe(0)
  clock.advance(2 * day)
  expect(await deleteOldMails(db, clock.now())).toBe(1)
  expect(await onlyMail()).toMatchObject({ recipient: 'waits@example.com', state: 'WAITING' })
})

test('a mail stays while a legal hold names its recipient', async () => {
  await queue({ recipient: 'Held@example.com' })
  await send(undefined)
  clock.advance(mailLimits.retentionMs + day)
  await db.rows(sql`
    insert into legal_holds (id, kind, subject, reason, placed_by, placed_at)
    values (${randomUUID()}, 'email', 'held@example.com', 'court', 'ada', ${clock.now()})`)
  expect(await deleteOldMails(db, clock.now())).toBe(0)
  await db.rows(sql`update legal_holds set released_by = 'ada', released_at = ${clock.now()}`)
  expect(await deleteOldMails(db, clock.now())).toBe(1)
})
