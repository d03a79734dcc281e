import { crc32, inflateSync } from 'node:zlib'
import { Refusal } from '../../base/refusal.js'
import { settingsLimits } from '../limits.js'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** What draws the picture. Everything else, such as texts and camera data, is dropped. */
const keptChunks = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'sRGB'])

/**
 * A PNG as a `data:` URL for the checkout page, without its metadata. Refuses files that are not a
 * whole PNG, and pictures whose size in pixels would cost payers' phones memory.
 */
export function readLogo(bytes: Buffer): string {
  const { logoBytesMax, logoPixelsMin, logoPixelsMax } = settingsLimits
  const chunks = readChunks(bytes)
  const header = chunks?.[0]
  if (!chunks || header?.type !== 'IHDR' || header.data.length !== 13)
    throw refuse('The logo must be a PNG image.')
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  const isSized = [width, height].every((side) => side >= logoPixelsMin && side <= logoPixelsMax)
  if (!isSized)
    throw refuse(`Each side of the logo must have ${logoPixelsMin} to ${logoPixelsMax} pixels.`)
  const kept = chunks.filter(({ type }) => keptChunks.has(type)).map(({ whole }) => whole)
  const picture = Buffer.concat([signature, ...kept])
  if (picture.length > logoBytesMax)
    throw refuse(`The logo must have at most ${logoBytesMax / 1_024} kB.`)
  return `data:image/png;base64,${picture.toString('base64')}`
}

/** Samples of a pixel, by colour type. */
const samplesOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/**
 * Whether a program that trusts its input can decode the PNG: all of it is there, it is not larger
 * than a logo, and its pixels are as many as it says. Merchants may send any bytes as their logo.
 */
export function isSoundPng(bytes: Buffer): boolean {
  const chunks = readChunks(bytes)
  const header = chunks?.[0]
  if (!chunks || header?.type !== 'IHDR' || header.data.length !== 13) return false
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  const [bits, colourType, compression, filter, interlace] = header.data.subarray(8)
  const samples = samplesOf[colourType!]
  const isKnown = samples !== undefined && compression === 0 && filter === 0 && interlace === 0
  const isSized = [width, height].every((side) => side > 0 && side <= settingsLimits.logoPixelsMax)
  if (!isKnown || !isSized || ![1, 2, 4, 8].includes(bits!)) return false
  const palette = chunks.find(({ type }) => type === 'PLTE')
  if (colourType === 3 && !palette) return false
  const rowBytes = 1 + Math.ceil((width * samples * bits!) / 8)
  const pixels = inflate(
    chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data),
    rowBytes * height,
  )
  if (pixels?.length !== rowBytes * height) return false
  // Each row starts with its filter.
  for (let at = 0; at < pixels.length; at += rowBytes) if (pixels[at]! > 4) return false
  return true
}

/** Undefined: not compressed data of at most so many bytes. */
function inflate(parts: Buffer[], maxOutputLength: number): Buffer | undefined {
  try {
    return inflateSync(Buffer.concat(parts), { maxOutputLength })
  } catch {
    return undefined
  }
}

type Chunk = { type: string; data: Buffer; whole: Buffer }

/** Undefined: not a whole PNG with right checksums. */
function readChunks(bytes: Buffer): Chunk[] | undefined {
  if (!bytes.subarray(0, signature.length).equals(signature)) return undefined
  const chunks: Chunk[] = []
  for (let at = signature.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    const named = bytes.subarray(at + 4, end - 4)
    if (crc32(named) !== bytes.readUInt32BE(end - 4)) return undefined
    const type = named.toString('latin1', 0, 4)
    chunks.push({ type, data: named.subarray(4), whole: bytes.subarray(at, end) })
    if (type === 'IEND') return chunks
    at = end
  }
  return undefined
}

function refuse(message: string): Refusal {
  return new Refusal('validation_failed', {
    message,
    details: [{ field: 'checkout.logo', issue: message }],
  })
}
