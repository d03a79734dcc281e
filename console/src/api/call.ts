import { commonTexts } from '../texts/common'
import { ApiRefusal } from './refusal'
import { readScope } from './scope'
import { askStepUp } from './step-up'

export type Query = Record<string, string | number | boolean | null | undefined>

export type CallOptions = {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  query?: Query | undefined
  /** Sent as JSON, unless it is a file. */
  body?: unknown
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
  /** A caller that shows the refusal itself, such as a dialog of the session. */
  asksForStepUp?: boolean
}

/** Calls the API as the signed-in user and returns `data`. Throws an `ApiRefusal`. */
export async function call<Data>(path: string, options: CallOptions = {}): Promise<Data> {
  if (options.asksForStepUp === false) return callOnce<Data>(path, options)
  return withStepUp(() => callOnce<Data>(path, options))
}

/** Asks the user to prove a factor if the server wants it, and then tries once more. */
export async function withStepUp<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const needsProof = error instanceof ApiRefusal && error.reason === 'step_up_required'
    // A refused request changed nothing, so the same idempotency key may be used again.
    if (!needsProof || !(await askStepUp())) throw error
    return run()
  }
}

async function callOnce<Data>(path: string, options: CallOptions): Promise<Data> {
  const response = await request(path, options, 'application/json')
  if (response.status === 204) return undefined as Data
  const { data } = (await response.json()) as { data: Data }
  return data
}

/** The answer itself. Throws an `ApiRefusal` unless it is a success. */
export async function request(
  path: string,
  { method = 'GET', query, body, idempotencyKey, signal }: CallOptions,
  accept: string,
): Promise<Response> {
  const { merchant, mode } = readScope()
  const headers = new Headers({ accept })
  if (merchant !== null && path.startsWith('/v1/')) {
    headers.set('manilla-merchant', merchant)
    headers.set('manilla-mode', mode)
  }
  if (method !== 'GET') headers.set('x-manilla-console', '1')
  const isFile = body instanceof Blob
  if (body !== undefined) headers.set('content-type', isFile ? body.type : 'application/json')
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
  let response: Response
  try {
    response = await fetch(withQuery(path, query), {
      method,
      headers,
      body: body === undefined ? null : isFile ? body : JSON.stringify(body),
      signal: signal ?? null,
      credentials: 'same-origin',
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiRefusal({ status: 0, code: 'unreachable', message: commonTexts.unreachable })
  }
  if (response.ok) return response
  const refusal = await readRefusal(response)
  if (refusal.status === 401 && path !== '/console/session/step-up') goToSignIn()
  throw refusal
}

async function readRefusal(response: Response): Promise<ApiRefusal> {
  const requestId = response.headers.get('x-request-id') ?? undefined
  const given = (await response.json().catch(() => ({}))) as Partial<ApiRefusal>
  return new ApiRefusal({
    message: commonTexts.failed,
    ...(requestId !== undefined && { requestId }),
    ...(given as object),
    status: response.status,
  })
}

/** After signing in, the user continues where they were. */
export function goToSignIn(): void {
  const { pathname, search } = window.location
  if (pathname.startsWith('/console/sign-in')) return
  window.location.assign(`/console/sign-in?next=${encodeURIComponent(pathname + search)}`)
}

/** Leaves out empty values: a filter that is not set. */
export function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  if (given.length === 0) return path
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return `${path}?${search}`
}
