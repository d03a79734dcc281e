import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type CallOptions, call, type Query, request, withQuery, withStepUp } from './call'
import { isFinal } from './is-final'
import { announce } from './live'
import { type ApiRefusal, toRefusal } from './refusal'
import type { Topic } from './topics'

type WriteOptions = {
  method?: CallOptions['method']
  /** What the write changes: reads and lists of these topics fetch again. */
  topics?: readonly Topic[]
  /** Names of reads that fetch again; see `useRead`. */
  reads?: readonly string[]
  /** Whether the operation takes an `Idempotency-Key`; by default POST does. */
  isKeyed?: boolean
}

/**
 * One write. Its idempotency key is drawn when the form opens and kept until the server has
 * answered, so that a double click or a repeat after a lost answer cannot pay twice.
 */
export function useWrite<Data = unknown>({
  method = 'POST',
  topics = [],
  reads = [],
  isKeyed = method === 'POST',
}: WriteOptions = {}) {
  const client = useQueryClient()
  const key = useRef(crypto.randomUUID())
  const isRunning = useRef(false)
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<ApiRefusal | null>(null)

  function readAgain() {
    for (const name of reads)
      client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === name })
  }

  /** Returns the data, or undefined if it was refused; `refusal` says why. */
  async function write(path: string, body?: unknown): Promise<Data | undefined> {
    if (isRunning.current) return undefined
    isRunning.current = true
    setBusy(true)
    setRefusal(null)
    try {
      const data = await call<Data>(path, {
        method,
        body: body ?? (method === 'POST' ? {} : undefined),
        idempotencyKey: isKeyed ? key.current : undefined,
      })
      key.current = crypto.randomUUID()
      announce(topics)
      readAgain()
      return data ?? (null as Data)
    } catch (error) {
      const refused = toRefusal(error)
      if (isFinal(refused)) {
        key.current = crypto.randomUUID()
        // What is shown may be why it was refused.
        readAgain()
      }
      setRefusal(refused)
      return undefined
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }

  return { write, isBusy, refusal, clear: () => setRefusal(null) }
}

/** Saves the list as CSV: the current filters, all rows. */
export async function download(path: string, filters: Query, fileName: string): Promise<void> {
  const response = await withStepUp(() => request(withQuery(path, filters), {}, 'text/csv'))
  save(await response.blob(), fileName)
}

/** Saves an answer as a JSON file. */
export async function downloadJson(path: string, fileName: string): Promise<void> {
  const text = JSON.stringify(await call<object>(path), null, 2)
  save(new Blob([text], { type: 'application/json' }), fileName)
}

function save(file: Blob, fileName: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  URL.revokeObjectURL(url)
}
