import { ConnectionError, ManillaError } from '../src/errors.js'
import { withoutControls } from './show.js'

/** How the program ends. docs/reference/cli.md is written from it. */
export const exitCodes = {
  done: 0,
  /** The service refused, or something that was checked does not hold. */
  refused: 1,
  /** The command was not called as it must be. */
  misused: 2,
  /** No answer: the service does not run, or not there. */
  unreachable: 3,
  /** Ctrl-C, as shells have it. */
  stopped: 130,
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

export function misused(message: string, nextStep: string): Failure {
  return new Failure(message, nextStep, exitCodes.misused)
}

/** Somebody stopped the command; what it had begun is cleaned up. */
export class Stopped extends Failure {
  override name = 'Stopped'

  constructor() {
    super('Stopped.', 'Call it again when you like.', exitCodes.stopped)
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof ConnectionError) return exitCodes.unreachable
  return error instanceof Failure ? error.exitCode : exitCodes.refused
}

const startIt = 'Does it run? `npm start`, in the folder of Manilla, starts it.'

/** What a person is told; a bug shows where it is only to those who set DEBUG. */
export function describeFailure(error: unknown, isDebugging: boolean): string {
  // Whatever was typed or answered comes back in messages.
  return withoutControls(describe(error, isDebugging), '\n')
}

function describe(error: unknown, isDebugging: boolean): string {
  if (error instanceof Failure) return `error: ${error.message}\n  → ${error.nextStep}`
  if (error instanceof ConnectionError)
    return `error: ${error.message}\n  → ${startIt} ${error.nextStep ?? ''}`.trimEnd()
  if (error instanceof ManillaError) return describeRefusal(error)
  const { message, stack } = error as Error
  return isDebugging ? String(stack) : `error: ${message}`
}

function describeRefusal(error: ManillaError): string {
  const word = error.reason ? `${error.code}, ${error.reason}` : error.code
  const details = error.details.filter(({ issue }) => !error.message.includes(issue))
  return [
    `error: ${error.message}`,
    ...details.map(({ field, issue }) => `    ${field}: ${issue}`),
    ...(error.nextStep ? [`  → ${error.nextStep}`] : []),
    `  (${error.status} ${word}${error.requestId ? `; request ${error.requestId}` : ''})`,
  ].join('\n')
}

/** The same for machines, one line. */
export function toJson(error: unknown): string {
  if (error instanceof ManillaError) {
    const { code, reason, status, message, details, nextStep, requestId } = error
    return JSON.stringify({ code, reason, status, message, details, nextStep, requestId })
  }
  const { message, nextStep } = error as Partial<Failure>
  return JSON.stringify({ code: 'cli', message, nextStep })
}
