import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import { newNonce } from '../checkout-page/answer-page.js'
import { sendFile } from '../reference/packed-file.js'
import { pathOf } from '../server/path-of.js'
import { openConsole } from './open-console.js'
import { renderConsole } from './render-console.js'

const assetPath = '/console/assets/'

/** Paths below /console that other routes answer: without one, they are not found. */
const serverPaths = /^\/console\/(sign-in|join|start|session)(\/|$)/

/**
 * The single-page application of the console. Every path below /console that no other route has
 * answers with its page, which holds no data: its script reads that from the API.
 */
export async function addConsole(
  app: FastifyInstance,
  { consoleUrl, clock }: { consoleUrl: string | undefined; clock: Clock },
): Promise<void> {
  const schema = { hide: true }
  let opening: ReturnType<typeof openConsole> | undefined
  const open = () => {
    opening ??= openConsole()
    return opening
  }

  app.get(`${assetPath}:name`, { schema }, async (request, reply) => {
    const { files } = await open()
    const file = await files.find(pathOf(request).slice('/'.length))
    if (!file) throw new Refusal('not_found', { message: 'File not found. Reload the page.' })
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return sendFile(request, reply, file)
  })

  for (const path of ['/console', '/console/*'])
    app.get(path, { schema, config: { isOpen: true } }, async (request, reply) => {
      const isElsewhere = consoleUrl !== undefined && request.host !== new URL(consoleUrl).host
      if (isElsewhere || serverPaths.test(pathOf(request)))
        throw new Refusal('not_found', { message: 'No such page.' })
      const { entry } = await open()
      const nonce = newNonce()
      const text = renderConsole(entry, { nonce, now: clock.now() })
      reply.header('content-security-policy', policyOf(nonce))
      reply.header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=()')
      return reply.type('text/html; charset=utf-8').send(text)
    })
}

/** Scripts and styles of this server only. The nonce is for styles that components compute. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    // The preview of the checkout page.
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join(';')
}
