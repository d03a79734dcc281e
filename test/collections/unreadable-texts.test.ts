import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { minute } from '../../src/base/clock.js'
import { insertNotices } from '../../src/collections/notices/store-notices.js'
import { sql } from '../../src/postgres/sql.js'
import { openTwistedNode } from '../rails/solana/twisted-node.js'
import { openWallets } from '../rails/solana/wallets.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'
import { openSession } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

/** Texts that PostgreSQL stores as json but cannot read back. */

const service = await openWithWallets()
const { db, clock, chain, wallets } = service

/** Narrations of the notices whose id matches. */
const readAll = async (name = '%') =>
  (
    await db.rows(sql<{ narration: string }>`
      select report ->> 'narration' as narration from notices where id like ${name} order by id`)
  ).map(({ narration }) => narration)

test.each(['USDC', 'USDT'])('a memo cut inside a character is judged, %s', async (asset) => {
  const shop = shopOf(service, await service.addMerchant('Ada'))
  const { address } = (await shop.open()).json.data
  await shop.deposit(address, '25', { asset })
  await chain.advance(33)
  const memo = `[203] ${'a'.repeat(199)}\u{1f600}`
  const url = await openTwistedNode(chain, ({ method }, result) =>
    method === 'getSignaturesForAddress'
      ? result.map((line: object) => ({ ...line, memo }))
      : undefined,
  )
  clock.advance(minute)
  await service.watch(await openWallets(chain, { nodeUrls: [url], isPoor: true }))
  const waiting = await db.rows(sql`select from notices where state = 'WAITING'`)
  expect(waiting).toHaveLength(0)
  expect(await readAll()).toContain(`${'a'.repeat(199)}\ufffd`)
  await expectAllProofs(db)
})

test('any text that a rail sends can be read back', async () => {
  const payment = {
    id: 'broken',
    railAccount: '1',
    amount: 1n,
    currency: 'NGN',
    bankSessionId: 'a\0b',
    sender: { address: '\udc00' },
    narration: '\\ud83d \ud83d \u{1f600}',
    receivedAt: clock.now(),
  }
  const name = { rail: 'bank', mode: 'test', id: 'broken' } as const
  await db.transaction(async (tx) => {
    insertNotices(tx, { now: clock.now(), dueAt: clock.now() }, [
      { ...name, reported: payment, body: null },
    ])
  })
  const [row] = await db.rows(sql`
    select report ->> 'narration' as narration, report ->> 'sessionId' as session,
      report -> 'sender' ->> 'address' as sender from notices where id = 'broken'`)
  expect(row).toEqual({ narration: '\\ud83d \ufffd \u{1f600}', session: 'a b', sender: '\ufffd' })
})

test('a migration repairs notices stored with half a character', async () => {
  const texts = ['\ud83d', 'a\ud83d\ud83d\udc00 b', '\\ud83d', '\\\ud83d', '\u{1f600}', 'a\0b']
  for (const [index, narration] of texts.entries())
    await db.rows(sql`
      insert into notices (rail, mode, id, report, state, due_at, received_at)
      values (${wallets.name}, 'test', ${`old ${index}`}, ${JSON.stringify({ narration })}::json,
        'BOOKED', now(), now())`)
  await expect(readAll()).rejects.toThrow()
  const migration = await readFile('migrations/0019_half_letters.sql', 'utf8')
  // Migration 0060 renamed the column.
  await (await openSession(db)).query(migration.replaceAll('announced', 'report'))
  expect(await readAll('old %')).toEqual([
    '\ufffd',
    'a\ufffd\ud83d\udc00 b',
    '\\ud83d',
    '\\\ufffd',
    '\u{1f600}',
    'a\ufffdb',
  ])
})
