import { ConnectionError, ManillaError } from '../src/errors.js'

/** How the program ends. docs/reference/cli.md has the same table. */
export const exitCodes = {
  done: 0,
  /** The service refused, or something that was checked does not hold. */
  refused: 1,
  /** The command was not called as it must be. */
  misused: 2,
  /** No answer: the service does not run, or not there. */
  unreachable: 3,
} as const

/** An expected end that is not a success: what happened, and what to do. */
export class Failure extends Error {
  override name = 'Failure'
  readonly nextStep: string
  readonly exitCode: number

  constructor(message: string, nextStep: string, exitCode: number = exitCodes.refused) {
    super(message)
    this.nextStep = nextStep
    this.exitCode = exitCode
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof ConnectionError) return exitCodes.unreachable
  return error instanceof Failure ? error.exitCode : exitCodes.refused
}

const startIt = 'Is the service running? `npm start` starts it.'

/** What a person is told; undefined for a bug, whose stack is wanted. */
export function describeFailure(error: unknown): string | undefined {
  if (error instanceof Failure) return `error: ${error.message}\n  → ${error.nextStep}`
  if (error instanceof ConnectionError)
    return `error: ${error.message}\n  → ${startIt} ${error.nextStep ?? ''}`.trimEnd()
  if (!(error instanceof ManillaError)) return undefined
  const word = error.reason ? `${error.code}, ${error.reason}` : error.code
  return [
    `error: ${error.message}`,
    ...error.details.map(({ field, issue }) => `    ${field}: ${issue}`),
    ...(error.nextStep ? [`  → ${error.nextStep}`] : []),
    `  (${error.status} ${word}${error.requestId ? `; request ${error.requestId}` : ''})`,
  ].join('\n')
}

/** The same for machines, one line. */
export function toJson(error: unknown): string | undefined {
  if (error instanceof Failure) {
    const { message, nextStep } = error
    return JSON.stringify({ code: 'cli', message, nextStep })
  }
  if (!(error instanceof ManillaError)) return undefined
  const { code, reason, status, message, details, nextStep, requestId } = error
  return JSON.stringify({ code, reason, status, message, details, nextStep, requestId })
}
