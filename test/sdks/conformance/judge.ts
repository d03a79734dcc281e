import { listRows } from '../../../sdk/scripts/document.js'
import { fileTypes } from '../../../sdk/src/send.js'
import { type Answered, compareResult } from './compare.js'
import type { Scenario } from './scenarios.js'
import type { Play } from './server.js'

const rows = new Map(listRows())
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The key of every client that the scenarios create, unless they name one. */
export const apiKey = `sk_test_${'conformance'.repeat(4)}`

/** Everything that is wrong with how a driver played a scenario. */
export function judge(scenario: Scenario, play: Play, answered: Answered | undefined): string[] {
  if (!answered) return ['The driver did not answer.']
  const { steps, seen, problems, isTrapped } = play
  const sentKey = seen.at(-1)?.headers['idempotency-key']
  const wrong = [...problems, ...compareResult(scenario.result, answered, sentKey)]
  if (seen.length < steps.length) wrong.push(`${seen.length} requests instead of ${steps.length}`)
  if (isTrapped) wrong.push('A redirect was followed.')
  if (JSON.stringify(answered).includes(apiKey)) wrong.push('The answer contains the API key.')
  return [...new Set([...wrong, ...checkHeaders(scenario, play)])]
}

/** What holds for every request. */
function checkHeaders({ call }: Scenario, { seen }: Play): string[] {
  const row = rows.get(`${call.resource}.${call.operation}`)
  if (!row) return seen.map(({ method }) => `${method} for an unknown operation`)
  const isKeyed = row.method === 'POST' && !row.isPublic
  const own = call.options?.idempotencyKey
  const [first] = seen
  return seen.flatMap(({ headers, body }) => {
    const wrong = []
    const { 'idempotency-key': key, authorization, accept = '', 'content-type': type } = headers
    if (isKeyed && own !== undefined && key !== own) wrong.push(`the key is ${key}, not ${own}`)
    if (isKeyed && own === undefined && !uuid.test(key ?? '')) wrong.push(`no UUID, but ${key}`)
    if (!isKeyed && key !== undefined) wrong.push('there is an idempotency key')
    if (key !== first?.headers['idempotency-key']) wrong.push('the idempotency key changed')
    const bearer = row.isPublic ? undefined : `Bearer ${call.key ?? apiKey}`
    if (authorization !== bearer) wrong.push('Authorization is wrong')
    if (!accept.includes(fileTypes[row.gives] ?? 'application/json'))
      wrong.push(`Accept is ${accept}`)
    const sends = call.csv === undefined ? 'application/json' : 'text/csv'
    if (body !== '' && !type?.startsWith(sends)) wrong.push(`Content-Type is ${type}`)
    return wrong
  })
}
