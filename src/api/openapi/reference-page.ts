import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../base/refusal.js'
import type { ApiDocument } from '../reference/document.js'
import { assetStart, openReference, type Reference } from '../reference/open-reference.js'
import { sendFile } from '../reference/packed-file.js'
import { jsonType } from '../server/envelope.js'
import { pathOf } from '../server/path-of.js'

/** The secret test key of the demo merchant, if this installation has one. */
export type FindDemoKey = () => string | undefined

/** Pages to read the OpenAPI document and to try its operations. */
export async function addReferencePage(
  app: FastifyInstance,
  readDocument: () => object,
  findDemoKey: FindDemoKey,
): Promise<void> {
  const schema = { hide: true }
  let opening: Promise<Reference> | undefined
  await app.register(async (docs) => {
    docs.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', pagePolicy)
    })
    docs.get('/docs', { schema }, async (_request, reply) => reply.redirect('/docs/', 301))
    docs.get('/docs/demo-key', { schema }, async (request, reply) => {
      const key = isFromThisMachine(request) ? (findDemoKey() ?? null) : null
      return reply.type(jsonType).send(JSON.stringify({ key }))
    })
    for (const path of ['/docs/*', '/llms.txt'])
      docs.get(path, { schema }, async (request, reply) => {
        opening ??= openReference(readDocument() as ApiDocument)
        return answer(request, reply, await opening)
      })
  })
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  reference: Reference,
): Promise<FastifyReply> {
  const path = pathOf(request)
  const file = await reference.find(path)
  if (!file)
    throw new Refusal('not_found', { message: 'No such page. The API reference starts at /docs.' })
  const isAsset = path.startsWith(assetStart)
  reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
  return sendFile(request, reply, file)
}

/**
 * The demo key is shown only to a browser on this machine that was not sent here by a proxy or by
 * a foreign host name, although it moves no real money.
 */
function isFromThisMachine({ socket, headers, hostname }: FastifyRequest): boolean {
  const isProxied = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'].some(
    (name) => headers[name] !== undefined,
  )
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')
  return isLocal && !isProxied && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
}

/** Scripts, styles and connections of this server only, and nothing inline. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(';')
