import { expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.js'
import { getEnvironment } from '../../../src/merchants/environments.js'
import { sql } from '../../../src/postgres/sql.js'
import { freshDatabase } from '../../support/database.js'
import { answers, clock, createConsole } from './commands.js'

const db = await freshDatabase()
const { run, runJson } = createConsole(db)

/** A payment of test mode, found by its account. */
async function receivePayment(accountNumber: string): Promise<void> {
  const { reference } = await runJson('merchants', 'create', 'Ada Stores')
  const { id: environment } = await getEnvironment(db, { merchant: reference, mode: 'test' })
  const [id, at] = [newId(clock.now()), clock.now()]
  const sender = JSON.stringify({ name: 'Zubaidah Obi', accountNumber, bankCode: '058' })
  await db.rows(sql`
    insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
      amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
      event_sequence, received_at, created_at)
    values (${environment}, ${id}, ${id}, 'virtual_account', 'a bank', ${id}, 'NGN', 1, 1, 0, 0, 0,
      0, 'NONE', ${sender}, 1, ${at}, ${at})`)
  await db.rows(sql`
    insert into search_terms (environment_id, kind, term, id)
    values (${environment}, 'payment', ${accountNumber}, ${id})`)
}

/** A payment that its sender's name finds, too. */
async function receiveNamesake(accountNumber: string): Promise<void> {
  await receivePayment(accountNumber)
  await db.rows(sql`
    insert into search_terms (environment_id, kind, term, id)
    select environment_id, kind, word, id from search_terms, unnest('{zubaidah,obi}'::text[]) word
    where term = ${accountNumber}`)
}

const countNamed = async () =>
  (await db.rows(sql`select from payments where sender ->> 'name' = 'Zubaidah Obi'`)).length

test('a person is erased only after the operator confirmed what is erased', async () => {
  await receivePayment('0000000048')
  const erase = ['data', 'erase', '--payer', '058:0000000048']
  const preview = await runJson(...erase, '--preview')
  expect(preview).toMatchObject({ isErased: false, tables: [{ table: 'payments', erased: 1 }] })

  const unasked = await run(...erase)
  expect(unasked.exitCode).not.toBe(0)
  expect(unasked.err).toContain('This erases a person for good, and no terminal is there')
  answers.push('no')
  const refused = await run(...erase)
  expect(refused.err).toContain('This erases a person for good.')
  expect(refused.err).toMatch(/payments +1 rows are erased for good/)
  expect(refused.err).toContain('Not confirmed. Nothing was done.')
  expect(await countNamed()).toBe(1)

  answers.push('yes')
  expect((await run(...erase)).exitCode).toBe(0)
  expect(await countNamed()).toBe(0)
  const [line] = await runJson('audit', 'list', '--limit', '1')
  expect(line).toMatchObject({ actor: 'ada', action: 'data.erase' })
  expect(JSON.stringify(line)).not.toContain('0000000048')
})

test('a held person is not erased, also with --yes, until the hold is released', async () => {
  await receivePayment('0000000055')
  const erase = ['data', 'erase', '--payer', '058:0000000055', '--yes']
  const hold = await runJson('data', 'hold', '058:0000000055', '--case', 'FHC/2', '--reason', 'x')
  const refused = await run(...erase)
  expect(refused.err).toContain(`${hold.reference} (case FHC/2)`)
  expect(await countNamed()).toBe(1)
  expect(await runJson('data', 'holds')).toMatchObject([{ reference: hold.reference }])
  await runJson('data', 'release', 'FHC/2', '--reason', 'ended')
  expect(await runJson('data', 'holds')).toEqual([])
  expect((await run(...erase)).exitCode).toBe(0)
  expect(await countNamed()).toBe(0)
})

test('everything known of a person is exported, and the export is audited', async () => {
  await receivePayment('0000000062')
  const data = await runJson('data', 'export', '--payer', '058:0000000062')
  expect(data.rows).toMatchObject([{ table: 'payments', fields: { sender: { bankCode: '058' } } }])
  const [line] = await runJson('audit', 'list', '--limit', '1')
  expect(line).toMatchObject({ action: 'data.export', details: { rows: 1 } })
  expect(JSON.stringify(line)).not.toContain('0000000062')
})

test('a name that many people share is refused, and a name without a merchant', async () => {
  for (const name of ['x', 'Ada', 'A B', 'Ada O', ''])
    for (const command of ['erase', 'export']) {
      const refused = await run('data', command, '--payer', `name:${name}`)
      expect(refused.exitCode, name).not.toBe(0)
      expect(refused.err).toContain('at least two words of two letters each')
    }
  const alone = await run('data', 'erase', '--payer', 'name:Ada Obi', '--preview')
  expect(alone.err).toContain('A name alone is not searched at all merchants')
  const { reference } = await runJson('merchants', 'create', 'Named Stores')
  const words = ['data', 'erase', '--payer', 'name:Ada  Obi', '--preview']
  expect(await runJson(...words, '--merchant', reference)).toMatchObject({
    isErased: false,
    identifiers: { names: ['ada obi'] },
  })
})

test('a preview counts by merchant, and says what matches by name alone', async () => {
  await receivePayment('0000000079')
  const words = ['data', 'erase', '--preview', '--payer', '058/0000000079']
  const merchant = expect.stringMatching(/^mer_/)
  const { tables } = await runJson(...words)
  expect(tables).toMatchObject([{ merchant, table: 'payments', found: 1, byName: 0 }])
  await receiveNamesake('0000000017')
  const both = await runJson(...words, '--payer', 'name:Zubaidah Obi')
  expect(both.tables.filter(({ byName }: { byName: number }) => byName > 0)).toMatchObject([
    { merchant, table: 'payments', found: 1, byName: 1 },
  ])
  const { out } = await run(...words)
  expect(out).toMatch(/merchant +table +found +by name alone/)
})
