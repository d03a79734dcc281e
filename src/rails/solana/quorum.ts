import type { Logger } from '../../base/log.js'
import {
  AnswerTooLarge,
  EndpointFailure,
  type RpcAnswer,
  type RpcCall,
  type RpcEndpoint,
} from './endpoint.js'
import { inGroups, Unavailable } from './endpoints.js'

/**
 * How many endpoints must say the same before it counts: more than half of those that are
 * configured, whether they answer or not. A single endpoint is believed, two must both agree.
 */
export function majorityOf(endpoints: number): number {
  return Math.floor(endpoints / 2) + 1
}

/** The value that enough endpoints gave; `keyOf` decides which values are equal. */
export function findAgreed<Value>(
  values: Value[],
  needed: number,
  keyOf: (value: Value) => string,
): Value | undefined {
  const counts = new Map<string, number>()
  for (const value of values) {
    const key = keyOf(value)
    const count = (counts.get(key) ?? 0) + 1
    if (count >= needed) return value
    counts.set(key, count)
  }
  return undefined
}

/** The highest number that enough endpoints have reached. */
export function reachedBy(numbers: bigint[], needed: number): bigint | undefined {
  return numbers.toSorted((one, other) => (one < other ? 1 : -1))[needed - 1]
}

/** What each endpoint returned. An endpoint that fails is logged and left out. */
export async function askEach<Value>(
  endpoints: readonly RpcEndpoint[],
  logger: Logger,
  ask: (endpoint: RpcEndpoint) => Promise<Value>,
): Promise<{ endpoint: RpcEndpoint; value: Value }[]> {
  const asked = endpoints.map(async (endpoint) => {
    const value = await orSilence(logger, endpoint, ask(endpoint))
    return value === undefined ? [] : [{ endpoint, value }]
  })
  return (await Promise.all(asked)).flat()
}

/** Nothing, and a line in the log, when the endpoint fails. */
export async function orSilence<Value>(
  logger: Logger,
  { host }: RpcEndpoint,
  value: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await value
  } catch (error) {
    if (!(error instanceof EndpointFailure || error instanceof Unavailable)) throw error
    logger.warn({ host, trouble: error.message }, 'an endpoint does not answer')
    return undefined
  }
}

/** Errors with which a node says that it is behind, or asked too often. */
const aboutTheNode = new Set([-32005, -32429, 429])

/**
 * Results in the order of the calls; undefined where the endpoint gave none. Groups whose answer is
 * too large are halved. After any other failure the endpoint is not asked again this time.
 */
export async function askMany(
  endpoint: RpcEndpoint,
  logger: Logger,
  calls: RpcCall[],
  { perRequest, underWay }: { perRequest: number; underWay: number },
): Promise<unknown[]> {
  let hasFailed = false
  const ask = async (group: RpcCall[]): Promise<unknown[]> => {
    if (hasFailed) return group.map(() => undefined)
    const answers = await post(endpoint, logger, group)
    if (Array.isArray(answers)) return answers.map(({ result }) => result)
    hasFailed ||= answers === undefined
    if (hasFailed || group.length === 1) return group.map(() => undefined)
    const halves = inGroups(group, Math.ceil(group.length / 2))
    return [...(await ask(halves[0]!)), ...(await ask(halves[1]!))]
  }
  const results: unknown[] = []
  for (const some of inGroups(inGroups(calls, perRequest), underWay))
    results.push(...(await Promise.all(some.map(ask))).flat())
  return results
}

function post(
  endpoint: RpcEndpoint,
  logger: Logger,
  calls: RpcCall[],
): Promise<RpcAnswer[] | 'too large' | undefined> {
  const ask = async () => {
    const answers = await endpoint.post(calls)
    const busy = answers.find(({ error }) => error && aboutTheNode.has(error.code))?.error
    if (busy) throw new EndpointFailure(busy.message)
    return answers
  }
  const answers = ask().catch((error: unknown) => {
    if (error instanceof AnswerTooLarge) return 'too large' as const
    throw error
  })
  return orSilence(logger, endpoint, answers)
}
