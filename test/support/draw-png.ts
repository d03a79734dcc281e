import { crc32, deflateSync } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

type Picture = {
  side?: number
  /** If it is not a square. */
  width?: number
  bits?: number
  /** 2: red, green and blue; 6: with an alpha channel. */
  colourType?: number
  interlace?: number
  /** Before compression; by default as many as the header says. */
  pixels?: Buffer
  /** Instead of compressed pixels. */
  data?: Buffer
}

/** A picture in one colour with a text inside, or one whose parts do not fit together. */
export function drawPng(picture: Picture = {}): Buffer {
  const { side = 32, width = side, bits = 8, colourType = 2, interlace = 0 } = picture
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(side, 4)
  header.set([bits, colourType, 0, 0, interlace], 8)
  const rowBytes = 1 + width * (colourType === 6 ? 4 : 3)
  const { pixels = Buffer.alloc(rowBytes * side), data = deflateSync(pixels) } = picture
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from('Author\0Ada at home')),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export function toDataUrl(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`
}
