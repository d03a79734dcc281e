import { ConnectionError, ManillaError } from '../src/errors.js'
import { toFlagName } from './flag-name.js'
import { withoutControls } from './style.js'

/** docs/reference/cli.md is generated from these. */
export const exitCodes = {
  done: 0,
  /** The service refused the request, or a check failed. */
  refused: 1,
  /** Wrong arguments or configuration. */
  misused: 2,
  /** The service did not answer. */
  unreachable: 3,
  /** Ctrl-C, as in shells. */
  stopped: 130,
} as const

/** An expected failure: what happened, and what to do. */
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

/** The user stopped the command, which has cleaned up or can be followed by other commands. */
export class Stopped extends Failure {
  override name = 'Stopped'

  constructor(message = 'Stopped.', nextStep = 'Run the command again to retry.') {
    super(message, nextStep, exitCodes.stopped)
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof ConnectionError) return exitCodes.unreachable
  return error instanceof Failure ? error.exitCode : exitCodes.refused
}

const startHint = 'Is it running? Start it with `npm start` in its folder.'

/** The flags of the command that failed, and whether to show the stack of a bug. */
type Situation = { flags: string[]; isDebugging: boolean }

/** The text for people. */
export function describeFailure(error: unknown, situation: Situation): string {
  // Messages may repeat what was typed or answered.
  return withoutControls(describe(error, situation), '\n')
}

function describe(error: unknown, { flags, isDebugging }: Situation): string {
  if (error instanceof Failure) return `error: ${error.message}\n  → ${error.nextStep}`
  if (error instanceof ConnectionError)
    return `error: ${error.message}\n  → ${startHint} ${error.nextStep ?? ''}`.trimEnd()
  if (error instanceof ManillaError) return describeRefusal(error, flags)
  const { message, stack } = error as Error
  return isDebugging ? String(stack) : `error: ${message}`
}

/** Every field that is wrong, with the flag that sets it. */
function describeRefusal(error: ManillaError, flags: string[]): string {
  const word = error.reason ? `${error.code}, ${error.reason}` : error.code
  const names = error.details.map(({ field }) => {
    const flag = `--${toFlagName(field)}`
    return flags.includes(flag) ? flag : field
  })
  // The fields are shown here; only a program must look for `details`.
  const nextStep = error.nextStep?.replace(/ \(`details` [^)]*\)/, '')
  return [
    `error: ${error.message}`,
    ...error.details.map(({ issue }, at) => `    ${names[at]} ${issue}`),
    ...(nextStep ? [`  → ${nextStep}`] : []),
    `  (${error.status} ${word}${error.requestId ? `; request ${error.requestId}` : ''})`,
  ].join('\n')
}

/** The failure as one line of JSON. */
export function toJson(error: unknown): string {
  if (error instanceof ManillaError) {
    const { code, reason, status, message, details, nextStep, requestId } = error
    return JSON.stringify({ code, reason, status, message, details, nextStep, requestId })
  }
  const { message, nextStep } = error as Partial<Failure>
  return JSON.stringify({ code: 'cli', message, nextStep })
}
