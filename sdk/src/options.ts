/** Options of every request. */
export type RequestOptions = {
  /** Aborts the request; its reason is thrown. */
  signal?: AbortSignal | undefined
  /** Timeout of each attempt. */
  timeoutMs?: number | undefined
  /** 0 means one attempt only. */
  maxRetries?: number | undefined
  /** Called for every answer, including those that are retried. */
  onAnswer?: ((answer: AnswerFacts) => void) | undefined
}

/** Metadata of an answer. */
export type AnswerFacts = {
  status: number
  /** Identifies the request: `manilla.requestLogs.get(requestId)`. */
  requestId: string | undefined
  /** True if this repeats the answer to an earlier request with the same key. */
  isReplayed: boolean
}

/** Options of every POST. */
export type WriteOptions = RequestOptions & {
  /**
   * Makes the request safe to retry, even after a crash: the same key with the same request runs
   * at most once. Generated if absent, and kept across retries.
   */
  idempotencyKey?: string | undefined
}

export type ManillaOptions = {
  /** URL of your Manilla service, such as `https://pay.example.com`. */
  baseUrl: string | URL
  /** A custom `fetch`, for a proxy or for tests. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Timeout of each attempt; 30,000 by default. */
  timeoutMs?: number | undefined
  /** Number of retries; 3 by default. */
  maxRetries?: number | undefined
}

export type Connection = {
  key: string
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  timeoutMs: number
  maxRetries: number
}

/** Refuses a key or URL that could never work. */
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
  if (key.trim() !== key) throw new TypeError('The key has whitespace around it. Trim it.')
  if (!/^[sp]k_(test|live)_/.test(key))
    throw new TypeError('This is not a Manilla key. Keys start with sk_test_ or sk_live_.')
}

function readBaseUrl(baseUrl: unknown): string {
  const text = String(baseUrl ?? '')
  if (!/^https?:\/\/[^/?#]+/i.test(text) || /[?#]/.test(text))
    throw new TypeError(
      'baseUrl must be the URL of your Manilla service, such as https://pay.example.com.',
    )
  // Paths include the version.
  return text.replace(/\/+$/, '').replace(/\/v1$/, '')
}
