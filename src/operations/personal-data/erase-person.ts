import { recordErasedLines } from '../../audit/erased-lines.js'
import type { AuditActor } from '../../audit/write-line.js'
import { after, day, type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { RetentionPeriods } from '../../base/config.js'
import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Seal } from '../../base/sealed.js'
import {
  forgetCustomerOfAccounts,
  lockAccountsOfCustomer,
} from '../../collections/accounts/customer-accounts.js'
import { eraseCustomer } from '../../customers/erase-customer.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { personalDataLimits } from '../limits.js'
import { createMentions } from './mentions.js'
import type { Person, SearchScope } from './person.js'
import {
  isSealedColumn,
  listTargets,
  type MentioningRow,
  type ScannedTable,
  scanMentions,
} from './scan-mentions.js'
import {
  judgeRows,
  pseudonymise,
  retentionDays,
  savedRecipients,
  startErasing,
  units,
} from './units.js'

/**
 * What was found in a table at a merchant, and what became of it, in rows. A row of which one text
 * is erased and another is kept counts as both.
 */
export type TableResult = {
  /** Null: rows of a rail, the sandbox or the installation. */
  merchant: string | null
  table: string
  found: number
  /** Found only by a name that was typed: others may share it. */
  byName: number
  erased: number
  /** Kept by law in live mode, until the last of them is old enough. */
  keptByLaw: number
  keptUntil: Date | null
  /** Kept until their purpose has ended: erase again later. */
  open: number
  /** Kept by a legal hold. */
  held: number
}

type Erasure = {
  db: Database
  seal: Seal
  now: RealTime
  scope: SearchScope
  person: Person
  periods: RetentionPeriods
  actor: AuditActor
  /** False: only counts. */
  erases: boolean
}

/**
 * Replaces a person in every table, and leaves what the law or a hold keeps. Texts first, rows of
 * the person last: if it is interrupted, the same selectors find the rest. Ledger tables hold no
 * person and are not touched.
 */
export async function erasePerson(erasure: Erasure): Promise<TableResult[]> {
  const results = new Results()
  await eraseMentions(erasure, results)
  await eraseUnits(erasure, results)
  await eraseCustomers(erasure, results)
  return results.list()
}

async function eraseMentions(erasure: Erasure, results: Results): Promise<void> {
  const { db, seal, now, scope, person, periods } = erasure
  const mentions = createMentions(person)
  if (mentions.patterns.length === 0) return
  const before = after(now, -periods.AML_RECORD_DAYS * day)
  const search = { scope, mentions, seal, now, before }
  for (const target of await listTargets(db, scope))
    for await (const rows of scanMentions(db, target, search)) {
      for (const row of rows) {
        results.add({
          table: target.table,
          merchantId: row.merchantId,
          key: row.key.join(' '),
          isByName: row.isByName,
          state: row.state === 'free' ? 'erased' : row.state,
          keptUntil: row.recordedAt && after(row.recordedAt, periods.AML_RECORD_DAYS * day),
        })
      }
      const free = rows.filter(({ state }) => state === 'free')
      const { rowsErasedPerBatchMax } = personalDataLimits
      if (erasure.erases)
        for (let at = 0; at < free.length; at += rowsErasedPerBatchMax)
          await replaceMentions(erasure, target, free.slice(at, at + rowsErasedPerBatchMax))
    }
}

async function replaceMentions(
  { db, seal, now, actor }: Erasure,
  target: ScannedTable,
  rows: MentioningRow[],
): Promise<void> {
  await db.transaction(async (tx) => {
    await startErasing(tx)
    for (const row of rows) {
      const changes = target.typed.flatMap(({ name, type }, at) => {
        const erased = row.erased[at]!
        if (erased === null || erased === row.texts[at]) return []
        const stored = isSealedColumn(target, row, at) ? seal.seal(erased) : erased
        return [sql`${sql.identifier(name)} = ${toColumn(type, stored)}::${sql.raw(type)}`]
      })
      const isRow = target.keys.map(
        ({ name, type }, at) => sql`${sql.identifier(name)} = ${row.key[at]}::${sql.raw(type)}`,
      )
      await tx.rows(sql`
        update ${sql.identifier(target.table)} set ${sql.join(changes)}
        where ${sql.join(isRow, sql.raw(' and '))}`)
    }
    if (target.table === 'audit_lines')
      await recordErasedLines(tx, now, { actor, ids: rows.map(({ key }) => key[0]!) })
  })
}

/** A document that had to be replaced as a whole is a JSON text. */
function toColumn(type: string, text: string): string {
  return type.startsWith('json') && !/^\s*[{["]/.test(text) ? JSON.stringify(text) : text
}

async function eraseUnits(erasure: Erasure, results: Results): Promise<void> {
  const { db, now, scope, person, periods, erases } = erasure
  const { rowsErasedPerBatchMax } = personalDataLimits
  for (const name of [
    'returns',
    'payouts',
    'claims',
    'payments',
    'sessions',
    'accounts',
    'recipients',
  ] as const) {
    const unit = name === 'recipients' ? savedRecipients : units[name]
    const sure = person.withoutNames && new Set(person.withoutNames[name].map(keyOf))
    for (const { id: environmentId, mode, merchantId, clockOffsetMs } of scope.environments) {
      const ids = person[name]
        .filter((row) => row.environmentId === environmentId)
        .map(({ id }) => id)
      const isRecord = unit.keeps === 'AML_RECORD_DAYS' && mode === 'live'
      const days = retentionDays(unit, mode, periods)
      const environmentNow = toEnvironmentTime(now, clockOffsetMs)
      const before = after(environmentNow, isRecord ? -days * day : day)
      for (let at = 0; at < ids.length; at += rowsErasedPerBatchMax) {
        const rows = ids.slice(at, at + rowsErasedPerBatchMax)
        await db.transaction(async (tx) => {
          const judged = await judgeRows(tx, unit, { environmentId, rows, now, before })
          for (const { id, state, endedAt } of judged) {
            if (state === 'erased') continue
            const key = keyOf({ environmentId, id })
            results.add({
              table: unit.table,
              merchantId,
              key,
              isByName: sure ? !sure.has(key) : false,
              // Only records are kept by law.
              state: state === 'due' ? 'erased' : state === 'early' && !isRecord ? 'open' : state,
              keptUntil: endedAt && after(endedAt, days * day),
            })
          }
          const due = judged.filter(({ state }) => state === 'due').map(({ id }) => id)
          if (erases) await pseudonymise(tx, unit, { environmentId, ids: due })
        })
      }
    }
  }
}

/** As a merchant erases a customer: its schedules end, and sessions for its invoices forget it. */
async function eraseCustomers(
  { db, now, scope, person, erases }: Erasure,
  results: Results,
): Promise<void> {
  const merchantOf = new Map(scope.environments.map(({ id, merchantId }) => [id, merchantId]))
  const sure = person.withoutNames && new Set(person.withoutNames.customers.map(keyOf))
  for (const { environmentId, id } of person.customers)
    await db.transaction(async (tx) => {
      await lockAccountsOfCustomer(tx, { environmentId, id })
      const [row] = await tx.rows(sql<{ isHeld: boolean; isErased: boolean }>`
        select erased_at is not null as is_erased,
          is_held(${now}, environment_id, concat_ws(' ', name, email, phone), array[id]) as is_held
        from customers where environment_id = ${environmentId} and id = ${id}`)
      if (row!.isErased) return
      const key = keyOf({ environmentId, id })
      results.add({
        table: 'customers',
        merchantId: merchantOf.get(environmentId)!,
        key,
        isByName: sure ? !sure.has(key) : false,
        state: row!.isHeld ? 'held' : 'erased',
        keptUntil: null,
      })
      if (row!.isHeld || !erases) return
      const gone = await eraseCustomer(tx, now, { environmentId, id })
      forgetCustomerOfAccounts(tx, gone)
    })
}

/** As `MentioningRow.key` of these tables. */
function keyOf({ environmentId, id }: { environmentId: EnvironmentId; id: string }): string {
  return `${environmentId} ${id}`
}

type CountedState = 'erased' | 'early' | 'open' | 'held'

type CountedRow = {
  table: string
  merchantId: string | null
  key: string
  isByName: boolean
  state: CountedState
  keptUntil: Date | null
}

/** Counts each row once, though it may be found by its key and by what it mentions. */
class Results {
  readonly #tables = new Map<string, Counts>()

  add({ table, merchantId, key, isByName, state, keptUntil }: CountedRow): void {
    const name = `${merchantId} ${table}`
    const counts = this.#tables.get(name) ?? new Counts(table, merchantId)
    this.#tables.set(name, counts)
    counts.found.add(key)
    counts[state].add(key)
    if (!isByName) counts.sure.add(key)
    if (state === 'early' && keptUntil && !(counts.keptUntil && counts.keptUntil > keptUntil))
      counts.keptUntil = keptUntil
  }

  list(): TableResult[] {
    return [...this.#tables.values()]
      .map((counts) => ({
        merchant: counts.merchantId && toReference(prefixes.merchant, counts.merchantId),
        table: counts.table,
        found: counts.found.size,
        byName: counts.found.size - counts.sure.size,
        erased: counts.erased.size,
        keptByLaw: counts.early.size,
        keptUntil: counts.keptUntil,
        open: counts.open.size,
        held: counts.held.size,
      }))
      .toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1))
  }
}

class Counts {
  readonly found = new Set<string>()
  readonly sure = new Set<string>()
  readonly erased = new Set<string>()
  readonly early = new Set<string>()
  readonly open = new Set<string>()
  readonly held = new Set<string>()
  keptUntil: Date | null = null

  constructor(
    readonly table: string,
    readonly merchantId: string | null,
  ) {}
}

function sortKey({ merchant, table }: TableResult): string {
  return `${merchant ?? '~'} ${table}`
}
