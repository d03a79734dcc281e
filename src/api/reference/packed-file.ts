import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { takesBrotli, takesGzip } from '../server/accept.js'

const zip = promisify(gzip)
const pack = promisify(brotliCompress)

/** A text that never changes while the service runs, compressed once. */
export type PackedFile = {
  contentType: string
  hash: string
  text: Buffer
  gzip: Buffer
  br: Buffer
}

/** Compresses in the thread pool, so that other requests do not wait. */
export async function packFile(contentType: string, text: string): Promise<PackedFile> {
  const bytes = Buffer.from(text)
  const [zipped, br] = await Promise.all([
    zip(bytes, { level: 9 }),
    pack(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  ])
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { contentType, hash, text: bytes, gzip: zipped, br }
}

/** Higher levels save one percent more and take ten times as long. */
const brotliQuality = 9

/** Each encoding has its own ETag. Answers 304 if the client has the same bytes. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PackedFile,
): FastifyReply {
  const accepted = request.headers['accept-encoding']
  const encoding = takesBrotli(accepted) ? 'br' : takesGzip(accepted) ? 'gzip' : 'text'
  const etag = `"${file.hash}-${encoding}"`
  reply.header('etag', etag).header('vary', 'accept-encoding')
  if (isSame(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== 'text') reply.header('content-encoding', encoding)
  return reply.type(file.contentType).send(file[encoding])
}

/** Proxies that compress mark the tag as weak. */
function isSame(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
