import { learn, type Target } from './fuzz.js'
import { createJudge } from './judge.js'
import { listOperations, type Operation } from './operations.js'
import { exampleDraft } from './requests.js'
import { type Answer, type Memory, send, toSent } from './send.js'

type Json = Record<string, unknown>

/**
 * Sends the example of every operation as the document shows it, once. Examples of references stand
 * for those of earlier answers; a test payer pays into the dedicated account and wallet.
 */
export async function sendExamples({ url, keys, document }: Target): Promise<Map<string, Answer>> {
  const judge = createJudge(document)
  const memory: Memory = new Map()
  const answers = new Map<string, Answer>()
  const dataOf = (name: string) => (answers.get(name)!.json as { data: Json }).data
  for (const operation of inOrderOfUse(listOperations(document))) {
    const { method, path } = operation
    const example = { ...(operation.example as Json) }
    if (path === '/v1/test/bank-transfers')
      example.accountNumber = dataOf('POST /v1/collections/dedicated-accounts').accountNumber
    if (path === '/v1/test/crypto-deposits')
      example.address = dataOf('POST /v1/collections/dedicated-crypto-wallets').address
    const isChanged = path.startsWith('/v1/test/') && operation.example !== undefined
    const draft = exampleDraft(isChanged ? { ...operation, example } : operation)
    const sent = toSent(draft, keys, memory)
    const answer = await send(url, sent)
    judge(sent, answer)
    learn(memory, draft, sent, answer)
    answers.set(`${method} ${path}`, answer)
  }
  return answers
}

/** Creates before reads; what ends a resource comes late, and the clock last: it expires them. */
function inOrderOfUse(operations: Operation[]): Operation[] {
  const rank = ({ method, path }: Operation) => {
    if (path.endsWith('/clock/advance')) return 5
    if (path.endsWith('/simulate')) return 4
    if (method === 'DELETE' || /(cancel|deactivate)$/.test(path)) return 3
    if (method !== 'POST' || path.includes('{')) return path.endsWith('/settle') ? 1 : 2
    return path.startsWith('/v1/test/') ? 1 : 0
  }
  return operations.toSorted((left, right) => rank(left) - rank(right))
}
