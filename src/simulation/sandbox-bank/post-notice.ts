import { Agent, type ClientRequest, request } from 'node:http'
import { sandboxBankLimits } from './limits.js'

export type Post = (message: {
  url: string
  headers: Record<string, string>
  body: string
}) => Promise<boolean>

/**
 * Posts over keep-alive connections and returns whether the notice was accepted: a complete 2xx
 * answer in time. `close` aborts requests under way.
 */
export function createPost(): { post: Post; close(): void } {
  const { noticeTimeoutMs, noticeIdleMs } = sandboxBankLimits
  const agent = new Agent({ keepAlive: true, timeout: noticeIdleMs })
  let isClosed = false
  return {
    async post({ url, headers, body }) {
      const length = { 'content-length': Buffer.byteLength(body) }
      const start = () =>
        request(url, {
          method: 'POST',
          agent,
          headers: { ...headers, ...length },
          signal: AbortSignal.timeout(noticeTimeoutMs),
        })
      const result = isClosed ? 'failed' : await exchange(start(), body)
      // The receiver closed an idle connection just as we wrote to it: try once more.
      if (result !== 'stale' || isClosed) return result === 'accepted'
      return (await exchange(start(), body)) === 'accepted'
    },
    close() {
      isClosed = true
      agent.destroy()
    },
  }
}

function exchange(outgoing: ClientRequest, body: string): Promise<'accepted' | 'failed' | 'stale'> {
  return new Promise((resolve) => {
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET'
      resolve(isStale ? 'stale' : 'failed')
    })
    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0
      incoming.on('end', () => resolve(status >= 200 && status < 300 ? 'accepted' : 'failed'))
      incoming.on('error', () => resolve('failed'))
      incoming.on('close', () => resolve('failed'))
      incoming.resume()
    })
    outgoing.end(body)
  })
}
