import type pg from 'pg'

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Filter?: string
  Plans?: Node[]
}

/**
 * How the server runs a statement that was prepared on this session by the code under test: the
 * very text, asked of the server itself. Both kinds of plan are looked at, because a named
 * statement is planned for its values at first and for any values later.
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

/**
 * Every place where rows of a table are read: `by index`, with the condition that is looked at only
 * after reading, or `Seq Scan of table`.
 */
function scansOf(node: Node): string[] {
  const below = (node.Plans ?? []).flatMap(scansOf)
  const index = node['Index Name']
  const isBitmapHeap = node['Node Type'] === 'Bitmap Heap Scan'
  const filter = node.Filter ? ` keeping ${node.Filter}` : ''
  if (index) return [`by ${index}${filter}`, ...below]
  if (!node['Relation Name'] || isBitmapHeap || node['Node Type'] === 'ModifyTable') return below
  return [`${node['Node Type']} of ${node['Relation Name']}`, ...below]
}
