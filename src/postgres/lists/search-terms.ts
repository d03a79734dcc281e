import type { EnvironmentId } from '../../base/environment.js'
import { listLimits } from '../limits.js'
import { type Sql, sql } from '../sql.js'
import type { Queryable } from '../transactions/tx.js'
import { type KeyRange, withinRange } from './key-range.js'

export type SearchKind = 'payment' | 'payout' | 'account' | 'session' | 'customer' | 'recipient'

/** Rows that have one of these terms for each word of a search. */
export type TermSearch = {
  environmentId: EnvironmentId
  kind: SearchKind
  /** For each word, the terms it stands for. The first word has the fewest. */
  words: string[][]
}

/** Wallet addresses and session ids: longer than account numbers, with digits unlike names. */
const publicTerm = /^(?=.*\d)[\w-]{20,300}$/

type TermQuery = {
  environmentId: EnvironmentId
  kind: SearchKind
  text: string
  /** The caller may not see payers: only wallet addresses and session ids match. */
  hidesPayers?: boolean | undefined
}

/** Whether a text can be searched for by a member who may not see payers. */
export function isPublicTerm(text: string): boolean {
  return publicTerm.test(text.trim())
}

/**
 * The terms that a search text stands for: each word, and words that begin with it. Numbers,
 * addresses and e-mail addresses are terms as they are. Undefined: no row can match.
 */
export async function findTerms(
  db: Queryable,
  { environmentId, kind, text, hidesPayers = false }: TermQuery,
): Promise<TermSearch | undefined> {
  const asIs = text.trim()
  if (hidesPayers && !isPublicTerm(asIs)) return undefined
  const isOneTerm = /^\S+$/.test(asIs) && (/\d/.test(asIs) || asIs.includes('@'))
  const [{ words } = { words: [] }] = await db.rows(sql<{ words: string[] }>`
    select search_words(${asIs}) as words`)
  if (isOneTerm) {
    const whole = await findExact(db, { environmentId, kind }, [asIs, asIs.toLowerCase()])
    if (whole.length > 0) return { environmentId, kind, words: [whole] }
  }
  if (words.length === 0 || hidesPayers) return undefined
  const found: string[][] = []
  for (const word of words) found.push(await findByPrefix(db, { environmentId, kind }, word))
  if (found.some((terms) => terms.length === 0)) return undefined
  return { environmentId, kind, words: found.toSorted((left, right) => left.length - right.length) }
}

type Owner = { environmentId: EnvironmentId; kind: SearchKind }

async function findExact(
  db: Queryable,
  { environmentId, kind }: Owner,
  texts: string[],
): Promise<string[]> {
  const rows = await db.rows(sql<{ term: string }>`
    select wanted.term from unnest(${texts}::text[]) wanted (term)
    where exists (select from search_terms t
      where t.environment_id = ${environmentId} and t.kind = ${kind} and t.term = wanted.term)
    group by wanted.term`)
  return rows.map(({ term }) => term)
}

/** Jumps from one term to the next in the index, however many rows have it. */
async function findByPrefix(
  db: Queryable,
  { environmentId, kind }: Owner,
  word: string,
): Promise<string[]> {
  const isPrefix = word.length >= listLimits.prefixLengthMin
  const end = isPrefix ? `${word}\u{10ffff}` : word
  const next = (after: Sql) => sql`
    select t.term from search_terms t
    where t.environment_id = ${environmentId} and t.kind = ${kind} and ${after} and t.term <= ${end}
    order by t.term limit 1`
  const rows = await db.rows(sql<{ term: string }>`
    with recursive terms as (
      (${next(sql`t.term >= ${word}`)})
      union all
      select (${next(sql`t.term > terms.term`)}) from terms where terms.term is not null)
    select term from terms where term is not null limit ${listLimits.wordsPerPrefixMax}`)
  return rows.map(({ term }) => term)
}

/** A FROM item with the newest ids that have the rarest of the words. */
export function newestIdsWithTerm(search: TermSearch, range: KeyRange, limit: number): Sql {
  const { environmentId, kind, words } = search
  return sql`(
    select distinct found.id from unnest(${words[0]}::text[]) wanted (term)
    cross join lateral (
      select t.id from search_terms t
      where t.environment_id = ${environmentId} and t.kind = ${kind} and t.term = wanted.term
        ${withinRange(range, 't.id')}
      order by t.environment_id desc, t.kind desc, t.term desc, t.id desc
      limit ${sql.raw(String(limit))}) found
    order by found.id desc limit ${sql.raw(String(limit))})`
}

/** Conditions on a row `t` for all words. */
export function hasTerms({ environmentId, kind, words }: TermSearch): Sql[] {
  return words.map(
    (terms) => sql`exists (
      select from search_terms other where other.environment_id = ${environmentId}
        and other.kind = ${kind} and other.term = any (${terms}::text[]) and other.id = t.id)`,
  )
}
