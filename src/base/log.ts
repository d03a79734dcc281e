import { type DestinationStream, type Logger, pino } from 'pino'
import { systemClock, toIsoText } from './clock.js'
import { createPrettifier } from './pretty-log.js'

export type { Logger }

/**
 * Patterns of secrets: API keys, webhook secrets, bearer tokens, passwords in URLs. Not anchored at
 * word boundaries: in JSON an escape such as `\n` may precede the secret.
 */
const secretPatterns: [RegExp, string][] = [
  [/(sk|pk)_(test|live)_[0-9A-Za-z]+/g, '$1_$2_[secret]'],
  [/whsec_[0-9A-Za-z+/=_-]+/g, 'whsec_[secret]'],
  [/(FLWSECK(?:_TEST)?|MK_(?:TEST|PROD))[-_][0-9A-Za-z-]+/g, '$1-[secret]'],
  [/Bearer\s+[^\s"\\]+/gi, 'Bearer [secret]'],
  [/(\w+:\/\/[^\s:@/"]*):[^\s/"]+@/g, '$1:[secret]@'],
  [/(password=)[^\s&"\\]+/gi, '$1[secret]'],
]

/** Matches every text that one of the patterns could match, and is cheap to test. */
const mayHoldSecret = /k_(test|live|prod)_|flwseck|whsec_|bearer|:\/\/|password=/i

export function redact(text: string): string {
  // Running every pattern over every line would cost more than the rest of logging.
  if (!mayHoldSecret.test(text)) return text
  return secretPatterns.reduce((line, [pattern, mask]) => line.replace(pattern, mask), text)
}

/**
 * A system call per line would cost more than the line. What is buffered is written when the
 * process exits, also after an uncaught error; a killed process loses at most the last tenth of a
 * second. As buffers: pino would measure the whole text again for every line added to it.
 */
const buffered = {
  fd: 2,
  sync: false,
  minLength: 60_000,
  maxWrite: 64 * 1024,
  periodicFlush: 100,
  contentMode: 'buffer',
} as const

/** One for all loggers of the process: each one writes, by a timer, whether it has lines or not. */
let standardError: DestinationStream | undefined

function openStandardError(): DestinationStream {
  standardError ??= pino.destination(buffered)
  return standardError
}

export type LogFormat = 'pretty' | 'json'

/** For people in a terminal; one JSON object per line for everything else. */
function formatOf(given: LogFormat | undefined): LogFormat {
  return given ?? (process.stderr.isTTY ? 'pretty' : 'json')
}

/**
 * Structured logs on standard error, one line each. Every line is redacted before it is written, so
 * that a secret inside an error or a path is not logged.
 */
export function createLogger(
  level: string,
  destination?: DestinationStream,
  format?: LogFormat,
): Logger {
  const isPretty = !destination && formatOf(format) === 'pretty'
  const prettify = isPretty ? createPrettifier(Boolean(process.stderr.isTTY)) : undefined
  const redactToBuffer = (line: string) => {
    const written = redact(line)
    return Buffer.from(prettify ? prettify(written) : written) as unknown as string
  }
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: writeTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      hooks: { streamWrite: destination ? redact : redactToBuffer },
    },
    destination ?? openStandardError(),
  )
}

function writeTime(): string {
  return `,"time":"${toIsoText(systemClock.now())}"`
}

/** Errors that need no stack: refusals, and external services that are unavailable. */
const expectedErrors = new Set([
  'Refusal',
  'ConnectionLost',
  'OutcomeUnknown',
  'Unknown',
  'Unreadable',
  'Unavailable',
  'NodeFailure',
  'SourceProblem',
])

/**
 * Drops the client that pg attaches to its errors, with its sockets and settings, and the stack of
 * an expected error.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (expectedErrors.has(error.name)) return { type: error.name, message: explainError(error) }
  const { client, connection, raw, ...serialized } = pino.stdSerializers.err(error)
  return serialized
}

/** An expected error in one line, with its cause and without its stack. */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  return cause instanceof Error ? `${message}: ${cause.message || cause.name}` : message
}

export function logLostConnection(logger: Logger): (error: Error) => void {
  return (error) => logger.warn({ why: explainError(error) }, 'lost an idle database connection')
}
