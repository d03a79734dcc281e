import { request } from './call'
import { toRefusal } from './refusal'
import type { Scope } from './scope'
import { createStore, useStore } from './store'
import { type Topic, topics } from './topics'

/** `live`: hints arrive. `polling`: the stream is not available. `stale`: the server is not. */
export type LiveState = { state: 'live' | 'polling' | 'stale'; since: Date }

type Message = { kind: 'changed'; topics: Topic[] } | { kind: 'state'; state: LiveState['state'] }

const pollIntervalMs = 15_000
const retryMs = 2_000
const retryMaxMs = 30_000
/** The leading tab repeats its state this often, so that others notice when it is gone. */
const beatMs = 5_000

const liveState = createStore<LiveState>({ state: 'live', since: new Date() })

export const useLiveState = () => useStore(liveState)

const listeners = new Set<(changed: ReadonlySet<Topic>) => void>()

/** Calls back when something of these topics may have changed. */
export function onChanged(wanted: readonly Topic[], listener: () => void): () => void {
  const whenWanted = (changed: ReadonlySet<Topic>) => {
    if (wanted.some((topic) => changed.has(topic))) listener()
  }
  listeners.add(whenWanted)
  return () => listeners.delete(whenWanted)
}

/** After an own write: other tabs hear of it from the stream. */
export function announce(changed: readonly Topic[]): void {
  for (const listener of listeners) listener(new Set(changed))
}

function note(state: LiveState['state']): void {
  const before = liveState.read()
  if (state === 'stale' && before.state === 'stale') return
  liveState.write({ state, since: new Date() })
}

/**
 * Follows the changes of one merchant and mode. The tabs of a browser share one stream: the tab
 * that holds the lock reads it and passes hints on.
 */
export function followChanges(scope: Scope): () => void {
  const name = `manilla.live.${scope.merchant}.${scope.mode}`
  const stopping = new AbortController()
  const { signal } = stopping
  const channel = new BroadcastChannel(name)
  const hear = (message: Message) => {
    if (message.kind === 'state') note(message.state)
    else announce(message.topics)
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data)
  const tell = (message: Message) => {
    if (signal.aborted) return
    hear(message)
    channel.postMessage(message)
  }
  navigator.locks.request(name, { signal }, () => lead(tell, signal)).catch(() => {}) // Aborted while waiting for the lock.
  return () => {
    stopping.abort()
    channel.close()
  }
}

type Tell = (message: Message) => void

async function lead(tell: Tell, signal: AbortSignal): Promise<void> {
  let waitMs = retryMs
  let lastPollAt = 0
  while (!signal.aborted) {
    try {
      await readStream(tell, signal)
      waitMs = retryMs
    } catch (error) {
      if (signal.aborted) return
      const { status } = toRefusal(error)
      if (status === 401) return
      // Any answer means that the server is there, although it has no stream for us.
      tell({ kind: 'state', state: status === 0 ? 'stale' : 'polling' })
    }
    if (Date.now() - lastPollAt >= pollIntervalMs) {
      lastPollAt = Date.now()
      tell({ kind: 'changed', topics: [...topics] })
    }
    await sleep(Math.min(waitMs, pollIntervalMs), signal)
    waitMs = Math.min(waitMs * 2, retryMaxMs)
  }
}

/** Returns when the server ends the stream, as it does now and then. */
async function readStream(tell: Tell, signal: AbortSignal): Promise<void> {
  const response = await request('/v1/stream', { signal }, 'text/event-stream')
  tell({ kind: 'state', state: 'live' })
  // Changes between the last read and the start of the stream are not hinted at.
  tell({ kind: 'changed', topics: [...topics] })
  const beat = setInterval(() => tell({ kind: 'state', state: 'live' }), beatMs)
  try {
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let buffered = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      buffered += value
      const frames = buffered.split('\n\n')
      buffered = frames.pop()!
      for (const frame of frames) {
        const changed = readFrame(frame)
        if (changed.length > 0) tell({ kind: 'changed', topics: changed })
      }
    }
  } finally {
    clearInterval(beat)
  }
}

function readFrame(frame: string): Topic[] {
  const lines = frame.split('\n')
  const data = lines.find((line) => line.startsWith('data:'))?.slice('data:'.length)
  if (data === undefined || !lines.includes('event: changed')) return []
  const { topics: named = [] } = JSON.parse(data) as { topics?: string[] }
  return [...topics, 'clock' as const].filter((topic) => named.includes(topic))
}

function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
