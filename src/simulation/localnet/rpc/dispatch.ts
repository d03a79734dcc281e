import { localnetLimits } from '../limits.js'
import type { LocalnetNetwork } from '../server/network.js'
import type { Node } from '../server/node.js'
import { accountMethods } from './accounts.js'
import { clusterMethods } from './cluster.js'
import { RateLimited, RpcFailure, rpcErrorCodes } from './failure.js'
import { historyMethods } from './history.js'
import { localnetMethods } from './localnet-methods.js'
import type { Params } from './params.js'
import { findTransaction, sendMethods, subjectOf, verifyAhead } from './send.js'
import { simulateTransaction } from './simulate.js'

type Call = { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: unknown }
type Answer = { jsonrpc: '2.0'; id: unknown } & ({ result: unknown } | { error: object })

type RpcMethod = (node: Node, params: Params, network: LocalnetNetwork) => unknown

const methods = new Map<string, RpcMethod>(
  Object.entries<RpcMethod>({
    ...clusterMethods,
    ...accountMethods,
    ...sendMethods,
    simulateTransaction,
    ...historyMethods,
    ...localnetMethods,
  }),
)

/**
 * Runs a request: one call, or a batch in order. The effects are in the journal before this
 * returns. Throws RateLimited before any call runs.
 */
export async function answer(network: LocalnetNetwork, node: Node, body: string) {
  const request = parse(body)
  if (request instanceof RpcFailure) return failed(null, request)
  const calls = Array.isArray(request) ? request : [request]
  limitRate(node, calls)
  await verifyAhead(sendsOf(calls))
  const answers: Answer[] = []
  for (const call of calls) {
    const answered = answerCall(network, node, call)
    // Most results are synchronous; awaiting those too would cost an event loop turn each.
    answers.push(answered instanceof Promise ? await answered : answered)
  }
  network.chain.commit()
  return Array.isArray(request) ? answers : answers[0]
}

function sendsOf(calls: Call[]): Params[] {
  return calls.flatMap(({ method, params }) => {
    return method === 'sendTransaction' && Array.isArray(params) ? [params] : []
  })
}

function parse(body: string): Call | Call[] | RpcFailure {
  let request: unknown
  try {
    request = JSON.parse(body)
  } catch {
    return new RpcFailure(rpcErrorCodes.parse, 'Parse error')
  }
  const calls = Array.isArray(request) ? request : [request]
  const isValid = calls.every((call) => typeof call === 'object' && call !== null)
  if (!isValid || calls.length === 0 || calls.length > localnetLimits.callsPerRequestMax)
    return new RpcFailure(rpcErrorCodes.invalidRequest, 'Invalid request')
  return request as Call | Call[]
}

function answerCall(network: LocalnetNetwork, node: Node, call: Call): Answer | Promise<Answer> {
  const { id = null, method, params } = call
  try {
    const run = typeof method === 'string' ? methods.get(method) : undefined
    if (!run) throw new RpcFailure(rpcErrorCodes.methodNotFound, 'Method not found')
    if (params !== undefined && params !== null && !Array.isArray(params))
      throw new RpcFailure(rpcErrorCodes.invalidParams, 'Invalid params: expected a list')
    const result = run(node, params ?? [], network)
    if (!(result instanceof Promise)) return { jsonrpc: '2.0', id, result }
    return result.then(
      (value): Answer => ({ jsonrpc: '2.0', id, result: value }),
      (error) => explain(network, id, error),
    )
  } catch (error) {
    return explain(network, id, error)
  }
}

function explain(network: LocalnetNetwork, id: unknown, error: unknown): Answer {
  if (error instanceof RpcFailure) return failed(id, error)
  network.logger.error({ err: error }, 'a localnet call failed')
  return failed(id, new RpcFailure(rpcErrorCodes.internal, 'Internal error'))
}

export function failed(id: unknown, { code, message, data }: RpcFailure): Answer {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}

/** Applies before any call runs, like a gateway before a real node. */
function limitRate({ faults }: Node, calls: Call[]): void {
  if (!faults.has('rate_limit')) return
  if (calls.every(({ method }) => isLocalnetMethod(method))) return
  if (faults.take(['rate_limit'])) throw new RateLimited()
  for (const params of sendsOf(calls)) {
    const transaction = findTransaction(params)
    if (transaction && faults.take(['rate_limit'], subjectOf(transaction))) throw new RateLimited()
  }
}

/** Exempt from faults that hit every call: otherwise those faults could not be removed. */
function isLocalnetMethod(method: unknown): boolean {
  return typeof method === 'string' && method.startsWith('localnet_')
}
