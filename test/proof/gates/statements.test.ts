import { expect, test } from 'vitest'
import { findWrittenTables } from './statements.js'

test.each([
  ['insert into payouts (id) values ($1)', ['payouts']],
  ['select from payouts for update skip locked', []],
  ['select from ledger_accounts for no key update', []],
  ['insert into rates (id) values (1) on conflict (id) do update set at = now()', ['rates']],
  ['with claimed as (select from a for update) update notices n set x = 1', ['notices']],
  ['delete from only events where true', ['events']],
])('%s writes %j', (text, tables) => {
  expect(findWrittenTables(text)).toEqual(tables)
})
