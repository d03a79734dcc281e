import { describe, expect, test } from 'vitest'
import { day } from '../../../src/base/clock.js'
import type { Rails } from '../../../src/collections/rails.js'
import { sql } from '../../../src/postgres/sql.js'
import { freshDatabase } from '../../support/database.js'
import { clock, createConsole } from './commands.js'

const db = await freshDatabase()
const banksOf = (mode: string) => [{ name: `paystack-${mode}` }]
const rails = {
  solana: { test: undefined, live: undefined },
  rails: { banksOf } as unknown as Rails,
}
const { run } = createConsole(db, undefined, { rails })

const inDays = (days: number) => new Date(clock.now().getTime() + days * day).toISOString()
const list = async () => JSON.parse((await run('levies', 'list', '--json')).out)
const set = (...more: string[]) =>
  run('levies', 'set', '--mode', 'live', '--threshold', '10000', '--amount', '50', ...more)

describe('levies', () => {
  test('are off until an operator sets them', async () => {
    expect(await list()).toEqual({ items: [], debits: [] })
    expect((await run('levies', 'end', '--mode', 'live')).err).toContain('No levy is set in live')
    expect((await run('levies', 'report')).out).toContain('No transfer with a levy has completed.')
  })

  test('have a preset for Nigeria that holds from now on', async () => {
    const preset = await run('levies', 'preset', 'nigeria', '--mode', 'live')
    expect(preset.out).toContain('₦50.00 on transfers of ₦10,000.00 and more, live mode')
    const now = clock.now().toISOString()
    expect((await list()).items).toMatchObject([
      {
        kind: 'stamp_duty',
        mode: 'live',
        rail: null,
        threshold: 1_000_000,
        amount: 5_000,
        exempts: ['salary', 'own_accounts'],
        holdsFrom: now,
        holdsUntil: null,
        createdBy: 'ada',
      },
    ])
  })

  test('are set for one rail and a period, and ended', async () => {
    const [from, until] = [inDays(1), inDays(2)]
    const more = ['--rail', 'paystack-live', '--from', from, '--until', until]
    expect((await set(...more, '--charge-salaries')).exitCode).toBe(0)
    expect((await list()).items[0]).toMatchObject({
      rail: 'paystack-live',
      holdsFrom: from,
      holdsUntil: until,
      exempts: ['own_accounts'],
    })
    expect((await run('levies', 'end', '--mode', 'live')).out).toContain('No levy, live mode')
    expect((await list()).items[0]).toMatchObject({ rail: null, amount: 0 })
  })

  test('that have ended are not ended again, while those that begin later are', async () => {
    const end = (...more: string[]) => run('levies', 'end', '--mode', 'live', ...more)
    const count = (await list()).items.length
    for (const more of [[], ['--rail', 'paystack-live'], ['--from', inDays(3)]])
      expect((await end(...more)).err).toContain('No levy is set in live mode')
    expect((await list()).items).toHaveLength(count)
    const rail = ['--rail', 'paystack-live']
    expect((await set(...rail, '--from', inDays(5), '--until', inDays(6))).exitCode).toBe(0)
    expect((await end('--from', inDays(6))).err).toContain('No levy is set in live mode')
    expect((await end()).exitCode).toBe(0)
    expect((await end(...rail)).err).toContain('No levy is set in live mode for paystack-live')
    expect((await list()).items).toHaveLength(count + 2)
  })

  test('are audited', async () => {
    const rows = await db.rows(sql<{ action: string }>`
      select distinct action from audit_lines where action like 'levy.%'`)
    expect(rows).toEqual([{ action: 'levy.set' }])
  })

  test.each<[string, string[], string]>([
    ['the past', ['--from', '2026-01-01'], 'must not be in the past; omit it to begin now'],
    ['no time', ['--from', '2026-02-30'], 'must be a valid date'],
    ['an end before its start', ['--until', '2026-01-01'], 'must be after the time from which'],
    ['an unknown rail', ['--rail', 'paystack'], 'No bank rail paystack is known'],
    ['a rail of the other mode', ['--rail', 'paystack-test'], 'Known: paystack-live.'],
    ['more than the transfer', ['--amount', '10000.01'], 'must not be more than the threshold'],
    ['nothing', ['--amount', '0'], 'amount'],
    ['fractions of kobo', ['--amount', '50.001'], 'amount'],
    ['a negative amount', ['--amount=-50'], 'amount'],
    ['no amount', ['--amount', 'fifty'], 'amount'],
    ['another mode', ['--mode', 'sandbox'], 'mode'],
  ])('are not set for %s', async (_name, more, message) => {
    const before = (await list()).items.length
    const { exitCode, err } = await set(...more)
    expect(exitCode).not.toBe(0)
    expect(err).toContain(message)
    expect((await list()).items).toHaveLength(before)
  })

  test('that a provider debits are recorded since any time', async () => {
    const recorded = await run(
      'levies',
      'debits',
      'paystack-live',
      'with_transfer',
      '--since',
      '2026-01-01',
    )
    expect(recorded.out).toContain('with_transfer')
    expect((await list()).debits).toMatchObject([
      { rail: 'paystack-live', debits: 'with_transfer', since: '2026-01-01T00:00:00.000Z' },
    ])
    expect((await run('levies', 'debits', 'paystack', 'no')).err).toContain('Known: paystack-test')
    expect((await run('levies', 'debits', 'paystack-live', 'maybe')).exitCode).not.toBe(0)
  })
})
