import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { minute } from '../../src/base/clock.js'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { queueMails } from '../../src/mail/queue-mails.js'
import { sendMails } from '../../src/mail/send-mails.js'
import { sql } from '../../src/postgres/sql.js'
import { createSmtpRelay } from '../../src/rails/mail/smtp-relay.js'
import { type Merchant, openManilla } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'
import { openSmtpServer, smtpError } from '../support/smtp-server.js'

const secret = 'a secret of the relay, long enough to be one'
const service = await openManilla({ mailBounceSecret: new Secret(secret) })
const { db, clock, seal, ask } = service
const logger = createLogger('silent')

let merchant: Merchant
beforeEach(async () => {
  merchant = await service.addMerchant('Ada Stores')
})

const get = (path: string, key = merchant.live.secret) => ask('GET', path, { key })

/** Queues a mail of the merchant's live mode and returns its reference. */
async function queue(recipient = 'ada@example.com', kind: 'receipt' | 'balance_low' = 'receipt') {
  const [id] = await db.transaction(async (tx) =>
    queueMails(tx, clock.now(), [
      {
        environmentId: merchant.environments.live.id,
        mode: 'live',
        kind,
        causeId: newId(clock.now()),
        recipient,
        content: {
          subject: 'Receipt from Ada Stores',
          sender: { name: 'Ada Stores', colour: '#0a7d4f', replyTo: null },
          heading: 'Thank you',
          blocks: [{ type: 'paragraph', text: 'You paid.' }],
          reason: 'Sent because you paid Ada Stores.',
        },
      },
    ]),
  )
  return toReference(prefixes.mail, id!)
}

async function deliver(server: Awaited<ReturnType<typeof openSmtpServer>>): Promise<void> {
  const relay = createSmtpRelay(server.config)
  await sendMails({ db, clock, seal, logger, relay, mode: 'live' }, clock.now())
}

describe('the list of mails', () => {
  test('has the mails of the environment alone, filtered', async () => {
    const server = await openSmtpServer()
    const sent = await queue()
    await deliver(server)
    const waiting = await queue('obi@example.com', 'balance_low')
    const all = (await get('/v1/mails')).json.data.items
    expect(all.map((item: { reference: string }) => item.reference).sort()).toEqual(
      [sent, waiting].sort(),
    )
    expect(all.find((item: { reference: string }) => item.reference === sent)).toEqual({
      reference: sent,
      kind: 'receipt',
      status: 'SENT',
      recipient: 'ada@example.com',
      subject: 'Receipt from Ada Stores',
      attempts: 1,
      lastError: null,
      createdAt: clock.now().toISOString(),
      sentAt: clock.now().toISOString(),
    })
    for (const [query, expected] of [
      ['status=SENT', sent],
      ['status=WAITING', waiting],
      ['kind=balance_low', waiting],
      ['recipient=ada@example.com', sent],
      ['recipient=ada@example.com&status=SENT&kind=receipt', sent],
    ] as const) {
      const { items } = (await get(`/v1/mails?${query}`)).json.data
      expect(items.map(({ reference }: { reference: string }) => reference)).toEqual([expected])
    }
    expect((await get('/v1/mails?status=KEPT')).json.data.items).toEqual([])
    const other = await service.addMerchant('Obi Ltd')
    for (const key of [other.live.secret, merchant.test.secret]) {
      expect((await get('/v1/mails', key)).json.data.items).toEqual([])
      expect((await get(`/v1/mails/${sent}`, key)).status).toBe(404)
    }
  })

  test('is for members who may see payers and settings', async () => {
    const reference = await queue()
    const at = { merchant: merchant.reference, mode: 'live' } as const
    for (const [role, status] of [
      ['finance', 200],
      ['developer', 403],
      ['support', 403],
      ['viewer', 403],
    ] as const) {
      const person = await addPerson(service, { role, merchant: merchant.reference })
      expect((await person.ask('GET', '/v1/mails', at)).status).toBe(status)
      expect((await person.ask('GET', `/v1/mails/${reference}`, at)).status).toBe(status)
    }
  })

  test('one mail has its text and HTML', async () => {
    const { json } = await get(`/v1/mails/${await queue()}`)
    expect(json.data.text).toContain('You paid.')
    expect(json.data.html).toContain('<!doctype html>')
    expect(json.data.html).toContain('Sent because you paid Ada Stores.')
  })

  test('does not answer for what is no mail', async () => {
    for (const reference of ['mail_', 'mail_zzz', toReference(prefixes.payment, newId(new Date()))])
      expect((await get(`/v1/mails/${reference}`)).status).toBe(404)
  })
})

describe('bounces', () => {
  const toSigned = (body: string, { time = clock.now(), key = secret } = {}) => {
    const seconds = Math.floor(time.getTime() / 1_000)
    const hex = createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')
    return { 'mail-signature': `t=${seconds},v1=${hex}` }
  }
  const post = (items: object[], headers?: Record<string, string>) => {
    const body = JSON.stringify({ items })
    return ask('POST', '/mail/bounces', { body, headers: headers ?? toSigned(body) })
  }

  test('suppress the address for the merchant of the mail, until it is removed', async () => {
    const server = await openSmtpServer()
    const reference = await queue('Gone@example.com')
    await deliver(server)
    const before = server.received.length
    const sent = server.received.find(({ to }) => to === 'Gone@example.com')!
    const messageId = sent.headers.get('message-id')!
    expect(messageId).toBe(`<${reference}@pay.example>`)
    const item = { address: 'gone@example.com', reason: 'bounce', messageId, detail: '550 Gone' }
    expect((await post([item])).json.data).toEqual({ suppressed: 1 })
    expect((await post([item])).json.data).toEqual({ suppressed: 0 })
    const { items } = (await get('/v1/mail-suppressions')).json.data
    expect(items).toMatchObject([
      { address: 'g**@example.com', reason: 'bounce', detail: '550 Gone' },
    ])
    expect((await get('/v1/mail-suppressions?reason=complaint')).json.data.items).toEqual([])
    await queue('gone@example.com')
    await deliver(server)
    expect(server.received).toHaveLength(before)
    const path = `/v1/mail-suppressions/${items[0].reference}`
    const other = await service.addMerchant('Obi Ltd')
    expect((await ask('DELETE', path, { key: other.live.secret })).status).toBe(404)
    expect((await ask('DELETE', path, { key: merchant.live.secret })).status).toBe(200)
    expect((await ask('DELETE', path, { key: merchant.live.secret })).status).toBe(404)
    await queue('gone@example.com')
    await deliver(server)
    expect(server.received).toHaveLength(before + 1)
  })

  test('without a known mail suppress the address for all merchants', async () => {
    const server = await openSmtpServer()
    const address = 'complains@example.com'
    const items = [{ address, reason: 'complaint', messageId: '<other@elsewhere.example>' }]
    const posted = await post(items)
    expect(posted.json.data, posted.text).toEqual({ suppressed: 1 })
    expect((await get('/v1/mail-suppressions')).json.data.items).toEqual([])
    await queue(address)
    await deliver(server)
    expect(server.received.map(({ to }) => to)).not.toContain(address)
    expect((await get('/v1/mails?status=SUPPRESSED')).json.data.items).toHaveLength(1)
  })

  test('name another recipient than the mail had: the mail says nothing about it', async () => {
    const reference = await queue('ada@example.com')
    const messageId = `<${reference}@pay.example>`
    await post([{ address: 'victim@example.com', reason: 'bounce', messageId }])
    expect((await get('/v1/mail-suppressions')).json.data.items).toEqual([])
  })

  test('are taken with a fresh signature of the same body only', async () => {
    const items = [{ address: 'x@example.com', reason: 'bounce' }]
    const body = JSON.stringify({ items })
    const late = new Date(clock.now().getTime() - 6 * minute)
    const early = new Date(clock.now().getTime() + 6 * minute)
    for (const headers of [
      {},
      { 'mail-signature': 'nonsense' },
      { 'mail-signature': `t=1,v1=${'0'.repeat(64)}` },
      toSigned(body, { key: 'another secret' }),
      toSigned(body, { time: late }),
      toSigned(body, { time: early }),
      toSigned(`${body} `),
    ]) {
      const { status, json } = await post(items, headers as Record<string, string>)
      expect([status, json.code]).toEqual([401, 'authentication_failed'])
    }
    expect(
      await db.rows(sql`
      select from mail_suppressions where masked_address = 'x**@example.com'`),
    ).toEqual([])
  })

  test('are not taken without a secret', async () => {
    const without = await openManilla()
    const body = JSON.stringify({ items: [{ address: 'x@example.com', reason: 'bounce' }] })
    const { status } = await without.ask('POST', '/mail/bounces', {
      body,
      headers: toSigned(body, { key: '' }),
    })
    expect(status).toBe(404)
  })
})

test('a mailbox that does not exist is listed, with what the relay said', async () => {
  const server = await openSmtpServer({
    onRecipient: () => {
      throw smtpError(550, '5.1.1 No such user')
    },
  })
  const reference = await queue('nobody@example.com')
  await deliver(server)
  expect((await get(`/v1/mails/${reference}`)).json.data).toMatchObject({
    status: 'FAILED',
    lastError: expect.stringContaining('No such user'),
  })
  expect((await get('/v1/mail-suppressions')).json.data.items).toMatchObject([
    { address: 'n**@example.com', reason: 'no_mailbox' },
  ])
})
