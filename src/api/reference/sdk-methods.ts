/** How the SDK names an operation. */
export type SdkMethod = { name: string; takes: string; gives: string }

type Row = Omit<SdkMethod, 'name'> & { method: string; path: string }
type Rows = { [name: string]: Row | Rows }

/** The SDK's own table, compiled. Found in dist/ also when this file runs from src/. */
const compiledTable = new URL('../../../dist/sdk/src/operations.js', import.meta.url)

/** The methods of the SDK by `POST /v1/path`. */
export async function readSdkMethods(): Promise<Map<string, SdkMethod>> {
  const { operations } = (await import(compiledTable.href)) as { operations: Rows }
  const listed = list(operations)
  // A list that also has CSV is named twice; the first is the list.
  return new Map(
    listed
      .toReversed()
      .map(([name, row]) => [rowName(row), { name, takes: row.takes, gives: row.gives }]),
  )
}

const rowName = ({ method, path }: Row) => `${method} ${path}`

function list(rows: Rows, start = ''): [string, Row][] {
  return Object.entries(rows).flatMap(([name, row]): [string, Row][] =>
    typeof row.path === 'string'
      ? [[start + name, row as Row]]
      : list(row as Rows, `${start}${name}.`),
  )
}
