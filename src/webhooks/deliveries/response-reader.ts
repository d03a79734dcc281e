import { webhookLimits } from '../limits.js'

/** The receiver sent bytes that are not an HTTP/1.1 response. */
export class NotHttp extends Error {}

/** The connection ended before the response was complete. */
export class CutOff extends Error {}

type State = 'head' | 'length' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'to the end'

const nothing = Buffer.alloc(0)
const lineEnd = '\r\n'
const headEnd = '\r\n\r\n'

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/
const chunkLine =
  /^([0-9A-Fa-f]{1,12})(?:;[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:=[!#$%&'*+.^_`|~0-9A-Za-z-]+)?)*$/
const wholeNumber = /^\d{1,15}$/

/**
 * Reads one response to a POST from the bytes of a connection. Strict: anything unusual fails or
 * ends the connection. Keeps only as much of the body as is stored; a longer response is complete
 * as soon as that much has arrived. Tests compare it with Node's own HTTP client.
 */
export class ResponseReader {
  status = 0
  retryAfter: string | undefined
  hasStarted = false
  isComplete = false
  /** Whether the connection can carry another request after this response. */
  isReusable = false
  #state: State = 'head'
  #rest: Buffer = nothing
  /** Bytes of the body, or of the chunk, that have not arrived yet. */
  #missing = 0
  #headBytes = 0
  readonly #body: Buffer[] = []
  #bodyBytes = 0

  /** Throws `NotHttp`. */
  read(bytes: Buffer): void {
    this.hasStarted = true
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    while (!this.isComplete && this.#step());
    // Bytes after the end of the response belong to no request.
    if (this.#rest.length > 0) this.isReusable &&= !this.isComplete
  }

  /** The receiver closed the connection. Throws `CutOff` unless that ends the response. */
  end(): void {
    if (this.#state !== 'to the end') throw new CutOff()
    this.isComplete = true
  }

  get hasHead(): boolean {
    return this.#state !== 'head'
  }

  /** The start of the body without NUL, which a text column cannot hold. */
  get text(): string {
    const bytesMax = webhookLimits.responseBytesMax
    const [first = nothing] = this.#body
    const bytes = this.#body.length < 2 ? first : Buffer.concat(this.#body)
    let text = bytes.subarray(0, bytesMax).toString('utf8').replaceAll('\0', '')
    // A character that was split at the end becomes a longer one.
    while (Buffer.byteLength(text) > bytesMax) text = text.slice(0, -1)
    return text
  }

  /** Returns false when it needs more bytes. */
  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#readHead()
      case 'length':
        if (!this.#readBody()) return false
        this.isComplete ||= this.#missing === 0
        return true
      case 'to the end':
        this.#missing = this.#rest.length
        return this.#readBody()
      case 'chunk size':
        return this.#readChunkSize()
      case 'chunk':
        if (!this.#readBody()) return false
        if (this.#missing === 0) this.#state = 'chunk end'
        return true
      case 'chunk end':
        if (this.#rest.length < lineEnd.length) return false
        this.#takeLine(0)
        this.#state = 'chunk size'
        return true
      case 'trailers':
        return this.#readTrailer()
    }
  }

  #readHead(): boolean {
    // Some servers send an empty line between responses.
    while (this.#rest.length >= 2 && this.#rest[0] === 0x0d && this.#rest[1] === 0x0a)
      this.#take(lineEnd.length)
    const length = this.#rest.indexOf(headEnd)
    this.#countHead(length < 0 ? this.#rest.length : length)
    if (length < 0) return false
    const head = this.#rest.toString('latin1', 0, length)
    this.#take(length + headEnd.length)
    this.#headBytes += length
    this.#parseHead(head)
    return true
  }

  #parseHead(head: string): void {
    const lines = head.split(lineEnd)
    const status = statusLine.exec(lines[0]!)
    if (!status) throw new NotHttp()
    this.status = Number(status[2])
    let length: string | undefined
    let encoding: string | undefined
    let connection = ''
    for (let index = 1; index < lines.length; index += 1) {
      const header = headerLine.exec(lines[index]!)
      if (!header) throw new NotHttp()
      const value = header[2]!.trimEnd()
      switch (header[1]!.toLowerCase()) {
        case 'content-length':
          if (length !== undefined || !wholeNumber.test(value)) throw new NotHttp()
          length = value
          break
        case 'transfer-encoding':
          encoding = encoding === undefined ? value : `${encoding},${value}`
          break
        case 'connection':
          connection += `,${value}`
          break
        case 'retry-after':
          this.retryAfter ??= value
          break
      }
    }
    // Two lengths: a proxy and we might disagree about where the response ends.
    if (length !== undefined && encoding !== undefined) throw new NotHttp()
    if (this.status < 200) {
      // The real response follows, unless the receiver wants to speak another protocol.
      if (this.status === 101) throw new NotHttp()
      this.retryAfter = undefined
      return
    }
    const isKept = connection === '' ? status[1] === '1' : mayKeep(connection, status[1]!)
    this.#startBody(length, encoding)
    this.isReusable = isKept && this.#state !== 'to the end'
  }

  #startBody(length: string | undefined, encoding: string | undefined): void {
    this.#state = 'to the end'
    if (this.status === 204 || this.status === 304) {
      this.#state = 'length'
      this.isComplete = true
    } else if (encoding !== undefined) {
      if (/(?:^|,)[\t ]*chunked$/i.test(encoding)) this.#state = 'chunk size'
    } else if (length !== undefined) {
      this.#state = 'length'
      this.#missing = Number(length)
      this.isComplete = this.#missing === 0
    }
  }

  #readBody(): boolean {
    const part = this.#rest.subarray(0, this.#missing)
    if (part.length === 0) return false
    this.#take(part.length)
    this.#missing -= part.length
    this.#body.push(part)
    this.#bodyBytes += part.length
    if (this.#bodyBytes > webhookLimits.responseBytesMax) {
      this.isReusable = false
      this.isComplete = true
    }
    return true
  }

  #readChunkSize(): boolean {
    const line = this.#takeLine(webhookLimits.chunkLineBytesMax)
    if (line === undefined) return false
    const size = chunkLine.exec(line)
    if (!size) throw new NotHttp()
    this.#missing = Number.parseInt(size[1]!, 16)
    this.#state = this.#missing === 0 ? 'trailers' : 'chunk'
    return true
  }

  /** Trailers are ignored. An empty line ends them and the response. */
  #readTrailer(): boolean {
    const line = this.#takeLine(webhookLimits.responseHeadBytesMax)
    if (line === undefined) return false
    this.#countHead(line.length)
    this.#headBytes += line.length
    if (line === '') this.isComplete = true
    else if (!headerLine.test(line)) throw new NotHttp()
    return true
  }

  /** A line without its end, or undefined while it is incomplete. */
  #takeLine(lengthMax: number): string | undefined {
    const length = this.#rest.indexOf(lineEnd)
    if (length > lengthMax || (length < 0 && this.#rest.length > lengthMax + 1)) throw new NotHttp()
    if (length < 0) return undefined
    const line = this.#rest.toString('latin1', 0, length)
    this.#take(length + lineEnd.length)
    return line
  }

  #take(length: number): void {
    this.#rest = this.#rest.length === length ? nothing : this.#rest.subarray(length)
  }

  #countHead(bytes: number): void {
    if (this.#headBytes + bytes > webhookLimits.responseHeadBytesMax) throw new NotHttp()
  }
}

function mayKeep(connection: string, minorVersion: string): boolean {
  const tokens = connection.toLowerCase().split(/[\t ]*,[\t ]*/)
  return !tokens.includes('close') && (minorVersion === '1' || tokens.includes('keep-alive'))
}
