import { describe, expect, test } from 'vitest'
import { day, after as later } from '../../src/base/clock.js'
import { toEnvironmentId } from '../../src/base/environment.js'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { limits } from '../../src/base/limits.js'
import { createLogger } from '../../src/base/log.js'
import { sql } from '../../src/postgres/sql.js'
import { deleteOldEntries } from '../../src/request-log/delete-old-entries.js'
import { listRequestLogEntries } from '../../src/request-log/find-entries.js'
import { requestLogLimits } from '../../src/request-log/limits.js'
import type { RawEntry } from '../../src/request-log/request-log.js'
import { RequestLog } from '../../src/request-log/request-log.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { openSession, until, untilInTheWay } from '../support/sessions.js'

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00.000Z')
const {
  entriesPerBatchMax,
  entriesWaitingMax,
  waitingLengthMax,
  entriesDeletedPerBatchMax,
  entriesScannedPerPageMax,
} = requestLogLimits
const { requestLogDaysMax } = limits.retention
const logger = createLogger('silent')

function entryOf(change: Partial<RawEntry> = {}): RawEntry {
  return {
    environmentId: toEnvironmentId(1),
    requestId: 'r',
    keyId: newId(now),
    keyName: 'k',
    method: 'GET',
    url: '/v1/balances',
    status: 200,
    durationMs: 1.25,
    isReplayed: false,
    requestBody: '',
    responseBody: '{}',
    refusal: '',
    answeredAt: now,
    ...change,
  }
}

async function countRows(requestId: string) {
  const [row] = await db.rows(sql<{ rows: number; transactions: number }>`
    select count(*)::int as rows, count(distinct xmin::text)::int as transactions
    from request_logs where request_id = ${requestId}`)
  return row!
}

describe('the request log', () => {
  // This keeps the log cheap: no request has its own transaction.
  test('writes many requests in one transaction', async () => {
    const log = new RequestLog({ url: db.url, logger })
    for (let count = 0; count < 3 * entriesPerBatchMax; count += 1)
      log.keep(entryOf({ requestId: 'many' }))
    await until(async () => (await countRows('many')).rows === 3 * entriesPerBatchMax)
    expect((await countRows('many')).transactions).toBe(3)
    expect(log.dropped).toBe(0)
    await log.close()
  })

  test('writes waiting entries when it is closed, and accepts none after', async () => {
    const log = new RequestLog({ url: db.url, logger })
    for (let count = 0; count < entriesPerBatchMax + 1; count += 1)
      log.keep(entryOf({ requestId: 'closing' }))
    await log.close()
    expect(await countRows('closing')).toEqual({ rows: entriesPerBatchMax + 1, transactions: 2 })
    log.keep(entryOf())
    expect(log.dropped).toBe(1)
  })

  // Another session has locked the table. Entries wait up to the limit, further ones are dropped
  // and counted, and those that waited are written once the table is free.
  test('drops and counts entries beyond its limit', async () => {
    const session = await openSession(db)
    await session.query('begin; lock table request_logs')
    const log = new RequestLog({ url: db.url, logger })
    log.keep(entryOf({ requestId: 'room' }))
    await untilInTheWay(db, session)
    for (let count = 0; count < entriesWaitingMax + 7; count += 1)
      log.keep(entryOf({ requestId: 'room' }))
    expect(log.dropped).toBe(7)
    await session.query('commit')
    await log.close()
    // The first one may have waited too long for the lock.
    expect((await countRows('room')).rows + log.dropped).toBe(1 + entriesWaitingMax + 7)
    expect((await countRows('room')).rows).toBeGreaterThanOrEqual(entriesWaitingMax)
  })

  test('holds no more text than its limit, however few the requests', async () => {
    const log = new RequestLog({ url: db.url, logger })
    const responseBody = 'x'.repeat(waitingLengthMax / 4)
    for (let count = 0; count < 5; count += 1)
      log.keep(entryOf({ requestId: 'long', responseBody, url: '' }))
    expect(log.dropped).toBe(1)
    await log.close()
    expect((await countRows('long')).rows).toBe(4)
  })

  test('drops and counts entries without a database, and still closes', async () => {
    const lines: string[] = []
    const log = new RequestLog({
      url: 'postgres://nobody@127.0.0.1:1/nothing',
      logger: createLogger('warn', { write: (line) => lines.push(line) }),
    })
    for (let count = 0; count < 3 * entriesPerBatchMax; count += 1) log.keep(entryOf())
    await log.close()
    expect(log.dropped).toBe(3 * entriesPerBatchMax)
    expect(lines.join('')).toContain('request log entries dropped')
  })

  test('stores every text that a request can contain', async () => {
    const log = new RequestLog({ url: db.url, logger })
    const hostile = ['\0', '\ud800', '"\\', '{"a":"\\u0000"}', '%00%', '\u{1f4a9}'.repeat(3_000)]
    for (const text of hostile)
      log.keep(
        entryOf({ requestId: 'odd', url: `/v1/x?${text}`, requestBody: text, responseBody: text }),
      )
    log.keep(entryOf({ requestId: 'odd', durationMs: 1e12 }))
    await log.close()
    expect((await countRows('odd')).rows).toBe(hostile.length + 1)
    expect(log.dropped).toBe(0)
  })
})

describe('old entries', () => {
  async function insert(environmentId: number, at: Date, count: number): Promise<void> {
    await db.rows(sql`
      insert into request_logs (environment_id, id, request_id, key_name, method, path, status,
        duration_us, is_replayed, is_request_cut, is_response_cut)
      select ${environmentId}::int, (lpad(to_hex(${at.getTime()}::int8), 12, '0') ||
        '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
        'old', 'k', 'GET', case when n % 1000 = 0 then '/v1/rare' else '/v1/x' end, 200, 1, false,
        false, false from generate_series(1, ${count}::int) n`)
  }
  const countOf = async (environmentId: number) => {
    const rows = await db.rows(sql`
      select from request_logs where environment_id = ${environmentId} and request_id = 'old'`)
    return rows.length
  }

  test('take the rows of the resources that they name with them, and no others', async () => {
    const environmentId = await insertEnvironment(db)
    const url = `/v1/x/${toReference(prefixes.payment, newId(now))}`
    const log = new RequestLog({ url: db.url, logger })
    for (const answeredAt of [later(now, -2 * day), now])
      log.keep(entryOf({ environmentId, requestId: 'old', url, answeredAt }))
    await log.close()
    const countNames = async () => {
      const rows = await db.rows(sql`
        select from request_log_resources where environment_id = ${environmentId}`)
      return rows.length
    }
    expect(await countNames()).toBe(2)
    while ((await deleteOldEntries(db, now, 1)) > 0);
    expect([await countOf(environmentId), await countNames()]).toEqual([1, 1])
  })

  test('stay while a legal hold names their resource', async () => {
    const environmentId = await insertEnvironment(db)
    const payment = newId(now)
    const reference = toReference(prefixes.payment, payment)
    const log = new RequestLog({ url: db.url, logger })
    for (const url of [`/v1/x/${reference}`, '/v1/x'])
      log.keep(entryOf({ environmentId, requestId: 'old', url, answeredAt: later(now, -2 * day) }))
    await log.close()
    expect(await countOf(environmentId)).toBe(2)
    await db.rows(sql`
      insert into legal_holds (id, kind, subject, resource_id, reason, placed_by, placed_at)
      values (${newId(now)}, 'resource', ${reference}, ${payment}, 'court', 'ada', ${now})`)
    while ((await deleteOldEntries(db, now, 1)) > 0);
    expect(await countOf(environmentId)).toBe(1)
    await db.rows(sql`update legal_holds set released_by = 'ada', released_at = ${now}`)
    while ((await deleteOldEntries(db, now, 1)) > 0);
    expect(await countOf(environmentId)).toBe(0)
  })

  test('are those older than the configured days, and all of them for 0 days', async () => {
    const environment = await insertEnvironment(db)
    for (const days of [0, 1, 3, 7]) await insert(environment, later(now, -days * day), 1)
    const remaining: number[] = []
    for (const keptFor of [7, 3, 0]) {
      while ((await deleteOldEntries(db, later(now, 1), keptFor)) > 0);
      remaining.push(await countOf(environment))
    }
    expect(remaining).toEqual([3, 2, 0])
  })

  // To the millisecond, in every environment, and a bounded number per run.
  test('are deleted after 30 days, in batches, by several workers at once', async () => {
    const [first, second, third] = [
      await insertEnvironment(db),
      await insertEnvironment(db),
      await insertEnvironment(db),
    ]
    const end = later(now, -requestLogDaysMax * day)
    await insert(first, later(end, -1), entriesDeletedPerBatchMax)
    await insert(second, later(end, -day), 10)
    await insert(third, end, 5)
    expect(requestLogDaysMax).toBe(30)
    expect(await deleteOldEntries(db, now, requestLogDaysMax)).toBe(entriesDeletedPerBatchMax)
    expect((await countOf(first)) + (await countOf(second))).toBe(10)
    expect(await deleteOldEntries(db, now, requestLogDaysMax)).toBe(10)
    expect(await deleteOldEntries(db, now, requestLogDaysMax)).toBe(0)
    expect(await countOf(third)).toBe(5)

    await insert(first, later(end, -1), 3 * entriesDeletedPerBatchMax)
    const counts = await Promise.all(
      [1, 2, 3, 4].map(() => deleteOldEntries(db, now, requestLogDaysMax)),
    )
    for (let more = 1; more > 0; ) {
      more = await deleteOldEntries(db, now, requestLogDaysMax)
      counts.push(more)
    }
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3 * entriesDeletedPerBatchMax)
    expect(await countOf(third)).toBe(5)
  })

  // The filter matches one in a thousand: no page scans more than its limit, and no entry is
  // missed.
  test('pages of a rare filter stop early and lead on', async () => {
    const environmentId = await insertEnvironment(db)
    await insert(environmentId, now, 2 * entriesScannedPerPageMax + 5_000)
    const filter = { pathPrefix: '/v1/rare' }
    const ids: string[] = []
    let pages = 0
    for (let before: string | undefined, isMore = true; isMore; pages += 1) {
      const page = await listRequestLogEntries(db, environmentId, filter, {
        before,
        limit: 100,
      })
      ids.push(...page.rows.map(({ id }) => id))
      before = page.next
      isMore = before !== undefined
    }
    expect(pages).toBe(3)
    expect(ids).toHaveLength(25)
    expect(new Set(ids).size).toBe(25)
    expect(ids).toEqual(ids.toSorted().toReversed())
  })
})
