import type pg from 'pg'
import { toStatement } from '../../src/postgres/statement.js'
import { runAlone } from '../../src/postgres/transactions/flush.js'
import type { Queryable, Source } from '../../src/postgres/transactions/tx.js'
import { ListColumn } from '../../src/postgres/wire/messages.js'

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: Node[]
}

/**
 * Plans of a statement that the code under test prepared on this session. Checks both custom and
 * generic plans, because PostgreSQL may switch a named statement to the generic one.
 */
export async function plansOf(
  session: pg.Client,
  statement: string,
  values: string[],
): Promise<{ scans: string[] }[]> {
  const execute = `execute ${statement}(${values.map((value) => `'${value}'`).join(', ')})`
  const plans: { scans: string[] }[] = []
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await session.query(`set plan_cache_mode = ${mode}`)
    const { rows } = await session.query<{ 'QUERY PLAN': string }>(
      `explain (format json) ${execute}`,
    )
    const [{ Plan }] = JSON.parse(rows[0]!['QUERY PLAN']) as [{ Plan: Node }]
    plans.push({ scans: scansOf(Plan).sort() })
  }
  await session.query('reset plan_cache_mode')
  return plans
}

/** Every scan of a table: `by index` with its filter, or `Seq Scan of table`. */
function scansOf(node: Node): string[] {
  const below = (node.Plans ?? []).flatMap(scansOf)
  const index = node['Index Name']
  const isBitmapHeap = node['Node Type'] === 'Bitmap Heap Scan'
  const filter = node.Filter ? ` keeping ${node.Filter}` : ''
  if (index) return [`by ${index}${filter}`, ...below]
  if (!node['Relation Name'] || isBitmapHeap || node['Node Type'] === 'ModifyTable') return below
  return [`${node['Node Type']} of ${node['Relation Name']}`, ...below]
}

/** What a statement actually read. */
export type Work = { rows: number; buffers: number; nodes: string[] }

type RunNode = Node & {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: RunNode[]
}

/**
 * Runs each statement with EXPLAIN ANALYZE and sums scanned rows, filtered rows and pages. Prepared
 * statements are executed as prepared, so that `plan_cache_mode` of the session decides the plan;
 * those with binary values, which cannot be written as text, are planned for their values.
 */
export function measuringReader(session: pg.Client, work: Work): Queryable {
  const explain = 'explain (analyze, buffers, timing off, format json)'
  return {
    async rows<Row>(source: Source<Row>) {
      const statement = toStatement(source)
      const { name, text, values } = statement
      const result = await runAlone(session, statement)
      const isBinary = values.some((value) => value instanceof ListColumn)
      const explained =
        name === undefined || isBinary
          ? await session.query({ text: `${explain} ${text}`, values })
          : await session.query(`${explain} execute ${name}(${values.map(toLiteral).join(', ')})`)
      const [{ Plan }] = JSON.parse(explained.rows[0]!['QUERY PLAN']) as [{ Plan: RunNode }]
      work.buffers += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
      addWork(Plan, work)
      return result.rows as Row[]
    },
  }
}

function toLiteral(value: unknown): string {
  if (Array.isArray(value)) return toLiteral(`{${value.join(',')}}`)
  const text = value instanceof Date ? value.toISOString() : String(value)
  return `'${text.replaceAll("'", "''")}'`
}

function addWork(node: RunNode, work: Work): void {
  const isScan = node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable'
  const dropped =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  const rows = ((isScan ? node['Actual Rows'] : 0) + dropped) * node['Actual Loops']
  work.rows += rows
  const by = node['Index Name'] ?? node['Relation Name'] ?? ''
  if (rows > 0) work.nodes.push(`${node['Node Type']} ${by}: ${rows} rows, ${dropped} dropped`)
  for (const below of node.Plans ?? []) addWork(below, work)
}

type Scan = { table: string; index: string | undefined; columns: string[] }

/** Every scan of a table, with the columns that bound it. Without columns, it reads everything. */
export async function indexScansOf(session: pg.Client, statement: string): Promise<Scan[]> {
  const { rows } = await session.query<{ 'QUERY PLAN': string }>(
    `explain (format json) ${statement}`,
  )
  const [{ Plan }] = JSON.parse(rows[0]!['QUERY PLAN']) as [{ Plan: Node }]
  return boundedScansOf(Plan, undefined)
}

/** A bitmap scan of an index does not name its table; the scan of the heap above it does. */
function boundedScansOf(node: Node, heap: string | undefined): Scan[] {
  const type = node['Node Type']
  const table = node['Relation Name'] ?? heap
  const heapBelow = type.startsWith('Bitmap') ? table : undefined
  const below = (node.Plans ?? []).flatMap((one) => boundedScansOf(one, heapBelow))
  if (table === undefined || !type.endsWith('Scan') || type === 'Bitmap Heap Scan') return below
  const condition = node['Index Cond'] ?? ''
  const rows = [...condition.matchAll(/ROW\(([\w, ]+)\) >=/g)].flatMap(([, names]) =>
    names!.split(', '),
  )
  const equal = [...condition.matchAll(/(\w+) = /g)].map(([, name]) => name!)
  return [{ table, index: node['Index Name'], columns: [...equal, ...rows] }, ...below]
}
