import * as fs from 'node:fs'
import { crc32 } from 'node:zlib'
import { localnetLimits } from '../limits.js'

const headerBytes = 8

/**
 * An append-only file of records, each preceded by its length and checksum. Flushed records survive
 * a kill -9; a power cut may lose the last ones.
 */
export class Journal {
  private pending: Buffer[] = []
  private pendingBytes = 0

  private constructor(
    private file: number,
    private written: number,
  ) {}

  /**
   * Passes every record to `onRecord`, in order. A record that was cut short by a crash is
   * truncated. Damage before the end is refused: the records after it were already acknowledged.
   */
  static open(path: string, onRecord: OnRecord): Journal {
    const file = fs.openSync(path, 'a+', 0o600)
    const size = fs.fstatSync(file).size
    const end = scan(file, size, onRecord)
    if (end < size) fs.ftruncateSync(file, end)
    return new Journal(file, end)
  }

  /** Returns the record's offset. It is durable only after the next flush. */
  append(body: Buffer): number {
    const offset = this.written + this.pendingBytes
    const header = Buffer.allocUnsafe(headerBytes)
    header.writeUInt32LE(body.length, 0)
    header.writeUInt32LE(crc32(body), 4)
    this.pending.push(header, body)
    this.pendingBytes += headerBytes + body.length
    return offset
  }

  flush(): void {
    if (this.pendingBytes === 0) return
    const bytes = Buffer.concat(this.pending, this.pendingBytes)
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(this.file, bytes, done)
    this.written += bytes.length
    this.pending = []
    this.pendingBytes = 0
  }

  read(offset: number): Buffer {
    if (offset >= this.written) this.flush()
    const length = readAt(this.file, offset, headerBytes).readUInt32LE(0)
    return readAt(this.file, offset + headerBytes, length)
  }

  close(): void {
    this.flush()
    fs.closeSync(this.file)
  }
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const count = fs.readSync(file, bytes, done, length - done, offset + done)
    if (count === 0) return bytes.subarray(0, done)
    done += count
  }
  return bytes
}

type OnRecord = (body: Buffer, offset: number) => void

/** Returns the end of the last complete record. */
function scan(file: number, size: number, onRecord: OnRecord): number {
  const { chunkBytes } = localnetLimits
  let offset = 0
  let wanted: number = chunkBytes
  while (offset < size) {
    const chunk = readAt(file, offset, Math.min(wanted, size - offset))
    const { end, needed, isDamaged } = scanChunk(chunk, offset, onRecord)
    offset += end
    const rest = chunk.subarray(end)
    const isLast = offset + rest.length === size
    if (isDamaged && !(isLast && isTorn(rest, needed)))
      throw new Error(`the localnet journal is damaged at byte ${offset}`)
    if (isLast) return offset
    wanted = Math.max(chunkBytes, needed)
  }
  return offset
}

function scanChunk(chunk: Buffer, offset: number, onRecord: OnRecord) {
  let end = 0
  while (end + headerBytes <= chunk.length) {
    const length = chunk.readUInt32LE(end)
    const needed = headerBytes + length
    if (length === 0 || length > localnetLimits.recordBytes) return { end, needed, isDamaged: true }
    if (end + needed > chunk.length) return { end, needed, isDamaged: false }
    const body = chunk.subarray(end + headerBytes, end + needed)
    if (crc32(body) !== chunk.readUInt32LE(end + 4)) return { end, needed, isDamaged: true }
    onRecord(body, offset + end)
    end += needed
  }
  return { end, needed: headerBytes, isDamaged: false }
}

/** After a power cut, the end may contain zeros in place of unwritten bytes. */
function isTorn(rest: Buffer, needed: number): boolean {
  return rest.length === needed || rest.every((byte) => byte === 0)
}
