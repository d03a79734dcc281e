import type { Logger } from '../../../base/log.js'
import { AnswerTooLarge, busyErrors, NodeFailure, type RpcAnswer, type RpcNode } from './node.js'
import { inGroups, logFailure, Unavailable } from './nodes.js'
import type { RpcCall } from './rpc-schemas.js'

/** What each node returned. A node that fails is logged and omitted. */
export async function queryEach<Value>(
  nodes: readonly RpcNode[],
  logger: Logger,
  query: (node: RpcNode) => Promise<Value>,
): Promise<Value[]> {
  const values = await Promise.all(nodes.map((node) => orUndefined(logger, node, query(node))))
  return values.filter((value): value is Awaited<Value> => value !== undefined)
}

/** Undefined, and a log line, when the node fails. */
export async function orUndefined<Value>(
  logger: Logger,
  node: RpcNode,
  value: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await value
  } catch (error) {
    if (!(error instanceof NodeFailure || error instanceof Unavailable)) throw error
    logFailure(logger, node, error)
    return undefined
  }
}

/**
 * Results in the order of the calls; undefined where the node returned none. Groups whose
 * answer is too large are halved. After any other failure the node gets no further calls.
 */
export async function callMany(
  node: RpcNode,
  logger: Logger,
  calls: RpcCall[],
  { perRequest, underWay }: { perRequest: number; underWay: number },
): Promise<unknown[]> {
  let hasFailed = false
  const callGroup = async (group: RpcCall[]): Promise<unknown[]> => {
    if (hasFailed) return group.map(() => undefined)
    const answers = await post(node, logger, group)
    if (Array.isArray(answers)) return answers.map(({ result }) => result)
    hasFailed ||= answers === undefined
    if (hasFailed || group.length === 1) return group.map(() => undefined)
    const halves = inGroups(group, Math.ceil(group.length / 2))
    return [...(await callGroup(halves[0]!)), ...(await callGroup(halves[1]!))]
  }
  const results: unknown[] = []
  for (const groups of inGroups(inGroups(calls, perRequest), underWay))
    results.push(...(await Promise.all(groups.map(callGroup))).flat())
  return results
}

async function post(
  node: RpcNode,
  logger: Logger,
  calls: RpcCall[],
): Promise<RpcAnswer[] | 'too large' | undefined> {
  const postUnlessBusy = async () => {
    const answers = await node.post(calls)
    const busy = answers.find(({ error }) => error && busyErrors.has(error.code))?.error
    if (busy) throw new NodeFailure(busy.message)
    return answers
  }
  const answers = postUnlessBusy().catch((error: unknown) => {
    if (error instanceof AnswerTooLarge) return 'too large' as const
    throw error
  })
  return orUndefined(logger, node, answers)
}
