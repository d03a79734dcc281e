import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../base/refusal.js'
import { type PackedFile, packFile, sendFile } from '../reference/packed-file.js'
import { inlineVersions, newestInline } from './inline-versions.js'

/** Copied there from web/inline, also for a service that runs from src/. */
const folder = new URL('../../../dist/web/inline/', import.meta.url)

/** The script with which merchants show the checkout page in a dialog of their own page. */
export async function addInline(app: FastifyInstance): Promise<void> {
  const packing = new Map<string, Promise<PackedFile>>()

  app.get('/inline.js', { schema: { hide: true } }, async (request, reply) =>
    sendVersion(request, reply, { version: newestInline, caching: 'public, max-age=3600' }),
  )

  app.get<{ Params: { name: string } }>(
    '/inline/:name',
    { schema: { hide: true } },
    async (request, reply) => {
      const version = request.params.name.replace(/\.js$/, '')
      if (!Object.hasOwn(inlineVersions, version) || version === request.params.name)
        throw new Refusal('not_found', { message: 'No such version of inline.js exists.' })
      return sendVersion(request, reply, {
        version,
        caching: 'public, max-age=31536000, immutable',
      })
    },
  )

  async function sendVersion(
    request: FastifyRequest,
    reply: FastifyReply,
    { version, caching }: { version: string; caching: string },
  ): Promise<FastifyReply> {
    const packed = packing.get(version) ?? readVersion(version)
    packing.set(version, packed)
    reply.header('cache-control', caching)
    // Browsers check the integrity of a script of another origin only with this header.
    reply.header('access-control-allow-origin', '*')
    reply.header('cross-origin-resource-policy', 'cross-origin')
    return sendFile(request, reply, await packed)
  }
}

async function readVersion(version: string): Promise<PackedFile> {
  const text = await readFile(new URL(`${version}.js`, folder), 'utf8')
  return packFile('text/javascript; charset=utf-8', text)
}
