import type { EnvironmentId } from '../../base/environment.js'
import { listStatement } from '../statement.js'
import type { Tx } from '../transactions/tx.js'
import type { SearchKind } from './search-terms.js'

/** A new row that searches find. */
export type SearchableRow = {
  environmentId: EnvironmentId
  id: string
  /** Found by its words. */
  name: string | null | undefined
  /** Numbers, addresses and ids, which are found as they are. */
  exact: (string | null | undefined)[]
}

const termLengthMax = 300

/** Most names are a few words of plain letters; the words of others are found by PostgreSQL. */
const plainName = /^[0-9A-Za-z]{2,40}( [0-9A-Za-z]{2,40}){0,3}$/

const columns = { environmentId: 'int4', kind: 'text', term: 'text', id: 'uuid' } as const

const insertTerms = listStatement({
  name: 'insert_search_terms',
  columns,
  text: (list, _parameter, names) => `
    insert into search_terms (${names}) select ${names} from ${list}`,
})

/** A word of a name may be an exact term of the same row, too. */
const insertWords = listStatement({
  name: 'insert_search_words',
  columns: { environmentId: 'int4', kind: 'text', name: 'text', id: 'uuid' },
  text: (list) => `
    insert into search_terms (environment_id, kind, term, id)
    select list.environment_id, list.kind, word, list.id
    from ${list} cross join lateral unnest(search_words(list.name)) word
    on conflict do nothing`,
})

/**
 * Makes new rows findable in the transaction that inserts them. Every insert of a searchable row is
 * followed by this; see docs/decisions/0026-search-terms-beside-the-insert.md.
 */
export function writeTerms(tx: Tx, kind: SearchKind, rows: SearchableRow[]): void {
  const terms = rows.flatMap(({ environmentId, id, name, exact }) => {
    const words = name && plainName.test(name) ? name.toLowerCase().split(' ') : []
    const found = exact.filter((term) => term && term.length <= termLengthMax) as string[]
    return [...new Set([...words, ...found])].map((term) => ({ environmentId, kind, term, id }))
  })
  const otherNames = rows.flatMap(({ environmentId, id, name }) =>
    name && !plainName.test(name) ? [{ environmentId, kind, name, id }] : [],
  )
  if (terms.length > 0) tx.write(insertTerms(terms))
  if (otherNames.length > 0) tx.write(insertWords(otherNames))
}
