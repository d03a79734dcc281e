import type { Logger } from '../../../base/log.js'
import {
  AnswerTooLarge,
  busyErrors,
  EndpointFailure,
  type RpcAnswer,
  type RpcEndpoint,
} from './endpoint.js'
import { inGroups, logFailure, Unavailable } from './endpoints.js'
import type { RpcCall } from './rpc-schemas.js'

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
  endpoint: RpcEndpoint,
  value: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await value
  } catch (error) {
    if (!(error instanceof EndpointFailure || error instanceof Unavailable)) throw error
    logFailure(logger, endpoint, error)
    return undefined
  }
}

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
