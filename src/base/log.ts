import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/**
 * What a secret looks like in a text: our keys, webhook secrets, bearer tokens, passwords in URLs.
 * Anywhere in it: in a line of JSON the letter of an escape, as in `\nsk_test_…`, may come before.
 */
const secretShapes: [RegExp, string][] = [
  [/(sk|pk)_(test|live)_[0-9A-Za-z]+/g, '$1_$2_[secret]'],
  [/whsec_[0-9A-Za-z+/=_-]+/g, 'whsec_[secret]'],
  [/Bearer\s+[^\s"\\]+/gi, 'Bearer [secret]'],
  [/(\w+:\/\/[^\s:@/"]*):[^\s/"]+@/g, '$1:[secret]@'],
  [/(password=)[^\s&"\\]+/gi, '$1[secret]'],
]

/** One of these stands in every text that a shape could match. */
const traces = /k_(test|live)_|whsec_|bearer|:\/\/|password=/i

/**
 * Looks for a trace first: searching every line for every shape cost more than all else it took.
 */
export function redact(text: string): string {
  if (!traces.test(text)) return text
  return secretShapes.reduce((line, [shape, mark]) => line.replace(shape, mark), text)
}

/**
 * Structured logs, one JSON object a line. Every finished line is searched for the shapes of our
 * secrets, so that one which slipped into an error or a path is still not written.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      hooks: { streamWrite: redact },
    },
    destination ?? pino.destination({ fd: 2, sync: false }),
  )
}

/** Errors of pg carry the whole client: its sockets and settings would fill a page of the log. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { client, connection, raw, ...serialized } = pino.stdSerializers.err(error)
  return serialized
}

/** For the pool: a connection that is lost while nobody uses it is worth a line, no more. */
export function logLostConnection(logger: Logger): (error: Error) => void {
  return (error) => logger.warn({ err: error }, 'an idle database connection was lost')
}
