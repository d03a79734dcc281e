import { postgresLimits } from './limits.js'
import type { Sql } from './sql.js'
import type { Statement } from './statement.js'

/** Names by text. */
const names = new Map<string, string>()

/**
 * Prepares a statement whose text has a few shapes, such as a list with optional filters: each
 * shape gets a name of its own and is parsed and planned once per connection. Planning a list costs
 * more than reading it. Everything that callers choose must be a value, not part of the text.
 */
export function named<Row>(prefix: string, source: Sql<Row>): Statement<Row> {
  const { text, values } = source.compile()
  const name = names.get(text) ?? nameOf(prefix, text)
  return name === undefined ? { text, values } : { name, text, values }
}

/** A server keeps every prepared statement in memory, so their number is bounded. */
function nameOf(prefix: string, text: string): string | undefined {
  if (names.size >= postgresLimits.preparedShapesMax) return undefined
  const name = `${prefix}_${names.size + 1}`
  names.set(text, name)
  return name
}
