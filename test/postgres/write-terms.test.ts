import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { writeTerms } from '../../src/postgres/lists/write-terms.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)

const names = [
  'Ada Obi',
  'MUSA MUSA',
  'A B Chukwu',
  'One Two Three Four Five',
  'Adébáyò Ṣọlá',
  'Ɓala Ƙasim',
  "=ÒGÚNLÉYẸ(O'Brien)",
  '0123456789 Stores',
  'Иван Петров',
  'x'.repeat(41),
  '中村 😀 商店',
  ' ',
  '',
  null,
  undefined,
]
const exact = ['0123456789', 'So11111111111111111111111111111111111111112', '', null, undefined]

// Searches split their text with `search_words`, so rows are found only by the words it returns.
test('the terms of a row are the words of its name and its exact terms', async () => {
  const rows = names.map((name) => ({
    environmentId,
    id: newId(new Date()),
    name,
    exact: [...exact, 'y'.repeat(300), 'z'.repeat(301)],
  }))
  await db.transaction(async (tx) => writeTerms(tx, 'payout', rows))
  for (const { id, name } of rows) {
    const [found] = await db.rows(sql<{ terms: string[]; words: string[] }>`
      select array(select term from search_terms
          where environment_id = ${environmentId} and kind = 'payout' and id = ${id}) as terms,
        coalesce(search_words(${name ?? null}::text), '{}') as words`)
    const terms = [...new Set([...found!.words, exact[0], exact[1], 'y'.repeat(300)])]
    expect(found!.terms.toSorted(), `terms of ${name}`).toEqual(terms.toSorted())
  }
})

test('rows without terms write nothing', async () => {
  const id = newId(new Date())
  await db.transaction(async (tx) => {
    writeTerms(tx, 'session', [{ environmentId, id, name: '', exact: [''] }])
    writeTerms(tx, 'session', [])
  })
  expect(await db.rows(sql`select from search_terms where id = ${id}`)).toEqual([])
})

// No trigger would add what a new way of inserting forgets.
test('every file that inserts searchable rows writes their terms', () => {
  const source = path.resolve(import.meta.dirname, '../../src')
  const inserts =
    /insert into (payouts|payments|collection_accounts|checkout_sessions)\b|\b(payouts|payments|collectionAccounts|checkoutSessions)\.insert\(/g
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(path.join(source, file), 'utf8') }))
    .filter(({ text }) => text.match(inserts))
  expect(found.map(({ file }) => path.basename(file)).sort()).toEqual([
    'store-accounts.ts',
    'store-payments.ts',
    'store-payouts.ts',
    'store-sessions.ts',
  ])
  for (const { file, text } of found) expect(text, file).toContain('writeTerms(')
})
