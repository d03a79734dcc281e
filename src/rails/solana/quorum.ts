import type { Logger } from '../../base/log.js'
import { AnswerTooLarge, EndpointFailure, type RpcAnswer, type RpcEndpoint } from './endpoint.js'
import { inGroups, Unavailable } from './endpoints.js'
import type { RpcCall } from './rpc-schemas.js'

/**
 * How many endpoints must agree: more than half of those configured, whether they respond or not.
 * A single endpoint is trusted; of two, both must agree.
 */
export function majorityOf(endpoints: number): number {
  return Math.floor(endpoints / 2) + 1
}

/** The value that enough endpoints returned; `keyOf` decides which values are equal. */
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

/** What each endpoint returned. An endpoint that fails is logged and omitted. */
export async function queryEach<Value>(
  endpoints: readonly RpcEndpoint[],
  logger: Logger,
  query: (endpoint: RpcEndpoint) => Promise<Value>,
): Promise<Value[]> {
  const values = await Promise.all(
    endpoints.map((endpoint) => orUndefined(logger, endpoint, query(endpoint))),
  )
  return values.filter((value): value is Awaited<Value> => value !== undefined)
}

/** Undefined, and a log line, when the endpoint fails. */
export async function orUndefined<Value>(
  logger: Logger,
  { host }: RpcEndpoint,
  value: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await value
  } catch (error) {
    if (!(error instanceof EndpointFailure || error instanceof Unavailable)) throw error
    logger.warn({ host, why: error.message }, 'endpoint is not responding')
    return undefined
  }
}

/** The endpoint is behind, or rate-limits us. */
const busyErrors = new Set([-32005, -32429, 429])

/**
 * Results in the order of the calls; undefined where the endpoint returned none. Groups whose
 * answer is too large are halved. After any other failure the endpoint gets no further calls.
 */
export async function callMany(
  endpoint: RpcEndpoint,
  logger: Logger,
  calls: RpcCall[],
  { perRequest, underWay }: { perRequest: number; underWay: number },
): Promise<unknown[]> {
  let hasFailed = false
  const callGroup = async (group: RpcCall[]): Promise<unknown[]> => {
    if (hasFailed) return group.map(() => undefined)
    const answers = await post(endpoint, logger, group)
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
  endpoint: RpcEndpoint,
  logger: Logger,
  calls: RpcCall[],
): Promise<RpcAnswer[] | 'too large' | undefined> {
  const postUnlessBusy = async () => {
    const answers = await endpoint.post(calls)
    const busy = answers.find(({ error }) => error && busyErrors.has(error.code))?.error
    if (busy) throw new EndpointFailure(busy.message)
    return answers
  }
  const answers = postUnlessBusy().catch((error: unknown) => {
    if (error instanceof AnswerTooLarge) return 'too large' as const
    throw error
  })
  return orUndefined(logger, endpoint, answers)
}
