import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound } from '../../base/refusal.js'
import { joinRow, type List } from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import {
  type ReleasedLine,
  type Split,
  type SplitRule,
  splitLines,
  splitRules,
  splits,
} from './split.js'

/** A rule and one of its versions. */
export type VersionedRule = SplitRule & { split: Split }

const insertLines = listStatement({
  name: 'insert_split_lines',
  columns: splitLines.types(...splitLines.fields),
  text: (list, _parameter, names, values) => `
    insert into split_lines (${names}) select ${values} from ${list}`,
})

export function insertSplit(tx: Tx, split: Split): void {
  const { environmentId, id, rule, asset, feeBearer, lines, createdAt } = split
  const isNamed = typeof feeBearer === 'object'
  tx.write(
    splits.insert({
      environmentId,
      id,
      ruleId: rule?.id ?? null,
      version: rule?.version ?? null,
      asset,
      feeBearer: isNamed ? 'subaccount' : feeBearer,
      feeSubaccountId: isNamed ? feeBearer.subaccountId : null,
      createdAt,
    }),
  )
  const rows = lines.map((line, index) => ({ environmentId, splitId: id, line: index, ...line }))
  tx.write(insertLines(rows))
}

export function insertSplitRule(tx: Tx, rule: SplitRule): void {
  tx.write(splitRules.insert(rule))
}

const ofSplit = { environmentId: 'int4', id: 'uuid' } as const

type SplitRow = typeof splits.readRow
type LineRow = typeof splitLines.readRow

const selectSplits = listStatement<typeof ofSplit, SplitRow>({
  name: 'find_splits',
  columns: ofSplit,
  text: (list) => `
    select ${splits.of('s')} from ${list}
    join splits s on s.environment_id = list.environment_id and s.id = list.id`,
})

const selectLines = listStatement<typeof ofSplit, LineRow>({
  name: 'find_split_lines',
  columns: ofSplit,
  text: (list) => `
    select ${splitLines.of('l')} from ${list}
    join split_lines l on l.environment_id = list.environment_id and l.split_id = list.id
    order by l.split_id, l.line`,
})

export type SplitName = Pick<Split, 'environmentId' | 'id'>

/** By id. Unknown ones are left out. */
export async function findSplits(db: Queryable, names: SplitName[]): Promise<Map<string, Split>> {
  if (names.length === 0) return new Map()
  const [rows, lines] = await Promise.all([
    db.rows(selectSplits(names)),
    db.rows(selectLines(names)),
  ])
  const linesOf = new Map<string, LineRow[]>(rows.map(({ id }) => [id, []]))
  for (const line of lines) linesOf.get(line.splitId)!.push(line)
  return new Map(rows.map((row) => [row.id, toSplit(row, linesOf.get(row.id)!)]))
}

function toSplit(row: SplitRow, lines: LineRow[]): Split {
  const { environmentId, id, ruleId, version, asset, feeBearer, feeSubaccountId, createdAt } = row
  return {
    environmentId,
    id,
    rule: ruleId === null ? null : { id: ruleId, version: version! },
    asset,
    feeBearer: feeBearer === 'subaccount' ? { subaccountId: feeSubaccountId! } : feeBearer,
    lines: lines.map(toLine),
    createdAt,
  }
}

function toLine({ environmentId: _, splitId: _id, line: _line, ...line }: LineRow): ReleasedLine {
  return line
}

type RuleName = { environmentId: EnvironmentId; reference: string }

/** Locked, so that each version is the next one. Throws a refusal if it is unknown. */
export async function lockSplitRule(tx: Tx, name: RuleName): Promise<VersionedRule> {
  const id = fromReference(prefixes.splitRule, name.reference)
  if (id !== undefined)
    await tx.rows(sql`
      select from split_rules where environment_id = ${name.environmentId} and id = ${id}
      for no key update`)
  const rule = await findSplitRule(tx, name)
  if (!rule) throw notFound('split rule', name.reference)
  return rule
}

/** Its newest version, or the one that is asked for. Undefined if there is no such version. */
export async function findSplitRule(
  db: Queryable,
  { environmentId, reference }: RuleName,
  version?: number,
): Promise<VersionedRule | undefined> {
  const id = fromReference(prefixes.splitRule, reference)
  if (id === undefined) return undefined
  const [rule] = await db.rows(sql<RuleRow>`
    select ${splitRules.of('r')}, s.id as split_id from split_rules r
    join splits s on s.environment_id = r.environment_id and s.rule_id = r.id
    where r.environment_id = ${environmentId} and r.id = ${id}
      and s.version = coalesce(${version ?? null}::int4, s.version)
    order by s.version desc limit 1`)
  return rule && (await withSplits(db, [rule]))[0]
}

type RuleRow = SplitRule & { splitId: string }

async function withSplits(db: Queryable, rows: RuleRow[]): Promise<VersionedRule[]> {
  const names = rows.map(({ environmentId, splitId }) => ({ environmentId, id: splitId }))
  const found = await findSplits(db, names)
  return rows.map(({ splitId, ...rule }) => ({ ...rule, split: found.get(splitId)! }))
}

/** Each with its newest version. */
export const splitRuleList: List<object, VersionedRule> = {
  name: 'list_split_rules',
  table: 'split_rules',
  select: sql`${splitRules.of('r')}, s.id as split_id`,
  rowsOf: (environmentId) => sql`
    ${joinRow('split_rules', 'r')(environmentId)}
    cross join lateral (
      select id from splits where environment_id = ${environmentId} and rule_id = found.id
      order by version desc limit 1) s`,
  toRows: (db, rows: RuleRow[]) => withSplits(db, rows),
  keyOf: ({ id }) => id,
  columns: {},
  filters: {},
  indexes: [{ index: 'split_rules_pkey', serves: [] }],
}
