import { type DestinationStream, type Logger, pino } from 'pino'
import { systemClock, toIsoText } from './clock.js'

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

/**
 * Structured logs, one JSON object per line. Every line is redacted before it is written, so that a
 * secret inside an error or a path is not logged.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const redactToBuffer = (line: string) => Buffer.from(redact(line)) as unknown as string
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: writeTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      hooks: { streamWrite: destination ? redact : redactToBuffer },
    },
    destination ?? pino.destination(buffered),
  )
}

function writeTime(): string {
  return `,"time":"${toIsoText(systemClock.now())}"`
}

/** Drops the client that pg attaches to its errors, with its sockets and settings. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { client, connection, raw, ...serialized } = pino.stdSerializers.err(error)
  return serialized
}

export function logLostConnection(logger: Logger): (error: Error) => void {
  return (error) => logger.warn({ err: error }, 'lost an idle database connection')
}
