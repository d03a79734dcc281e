import { expect, test } from 'vitest'
import { accountList } from '../../src/collections/accounts/account-list.js'
import { paymentList } from '../../src/collections/payments/payment-list.js'
import { sessionList } from '../../src/collections/sessions/session-list.js'
import { conversionList } from '../../src/conversions/store-conversions.js'
import { eventList } from '../../src/events/find-events.js'
import { batchList } from '../../src/payouts/batches/store-batches.js'
import { payoutList } from '../../src/payouts/records/payout-list.js'
import type { ListIndex } from '../../src/postgres/lists/list.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()

type AnyList = {
  name: string
  indexes: ListIndex[]
}

const lists: AnyList[] = [
  accountList,
  batchList,
  conversionList,
  eventList,
  paymentList,
  payoutList,
  sessionList,
]

// A list that names an index which is not there, or which has other columns, reads whole tables.
test.each(lists.map((list) => [list.name, list] as const))(
  'the indexes of %s are those that it names',
  async (_name, { indexes }) => {
    const expected = indexes.map(({ index, serves, where }) => ({
      index,
      columns: ['environment_id', ...serves.flatMap(toColumns), 'id'],
      isPartial: where !== undefined,
    }))
    const found = await db.rows(sql<{ index: string; columns: string[]; isPartial: boolean }>`
      select c.relname as index, i.indpred is not null as is_partial,
        array(select a.attname::text from pg_attribute a
          where a.attrelid = c.oid order by a.attnum) as columns
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relname = any (${indexes.map(({ index }) => index)}::text[])`)
    expect(found.toSorted(byName)).toEqual(expected.toSorted(byName))
  },
)

/** Terms are rows of a table, for each kind of resource. */
function toColumns(served: string): string[] {
  return served === 'terms' ? ['kind', 'term'] : [served]
}

function byName(one: { index: string }, other: { index: string }): number {
  return one.index.localeCompare(other.index)
}
