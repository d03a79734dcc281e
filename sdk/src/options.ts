/** What every request can be told. */
export type RequestOptions = {
  /** Gives up when you say so; what it was aborted with is thrown. */
  signal?: AbortSignal | undefined
  /** For each attempt. */
  timeoutMs?: number | undefined
  /** 0 for one attempt only. */
  maxRetries?: number | undefined
  /** Told of every answer that comes, also of those that are asked for once more. */
  onAnswer?: ((answer: AnswerFacts) => void) | undefined
}

/** What an answer says beside its data. */
export type AnswerFacts = {
  status: number
  /** Names the request in the logs of the service: `manilla.requestLogs.get(requestId)`. */
  requestId: string | undefined
  /** It is the answer to an earlier request with the same key; nothing was carried out again. */
  isReplayed: boolean
}

/** What a POST can be told. */
export type WriteOptions = RequestOptions & {
  /**
   * Makes the request safe to repeat, also after a crash: the same key with the same request runs
   * at most once. One is made where you give none, and kept through the retries.
   */
  idempotencyKey?: string | undefined
}

export type ManillaOptions = {
  /** Where your Manilla runs, such as `https://pay.example.com`. */
  baseUrl: string | URL
  /** Another `fetch`, for a proxy or for tests. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** How long one attempt may take: 30,000 where it is not said. */
  timeoutMs?: number | undefined
  /** How often a request is tried again: 3 times where it is not said. */
  maxRetries?: number | undefined
}

export type Connection = {
  key: string
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  timeoutMs: number
  maxRetries: number
}

/** Refuses, in plain words, what could never work. */
export function toConnection(key: string | undefined, options: ManillaOptions): Connection {
  const { baseUrl, timeoutMs = 30_000, maxRetries = 3 } = options ?? {}
  checkKey(key)
  return {
    key,
    baseUrl: readBaseUrl(baseUrl),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs,
    maxRetries,
  }
}

function checkKey(key: unknown): asserts key is string {
  if (typeof key !== 'string' || key === '')
    throw new TypeError(`The key is ${key === '' ? 'empty' : 'missing'}. Is its variable set?`)
  if (key.trim() !== key)
    throw new TypeError('The key has blanks or a line break around it. Trim it.')
  if (!/^[sp]k_(test|live)_/.test(key))
    throw new TypeError('The key is not one of Manilla: they start with sk_test_ or sk_live_.')
}

function readBaseUrl(baseUrl: unknown): string {
  const text = String(baseUrl ?? '')
  if (!/^https?:\/\/[^/?#]+/i.test(text) || /[?#]/.test(text))
    throw new TypeError(
      'baseUrl must say where your Manilla runs, such as https://pay.example.com.',
    )
  // Paths say their own version.
  return text.replace(/\/+$/, '').replace(/\/v1$/, '')
}
