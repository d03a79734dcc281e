/** One line of `manilla doctor`: what was checked, the result, and how to fix it. */
export type CheckResult = {
  check: string
  /** An `error` makes the command exit with 1. */
  state: 'ok' | 'warning' | 'error'
  message: string
  fix?: string
}

export function ok(check: string, message: string): CheckResult {
  return { check, state: 'ok', message }
}

export function warning(check: string, message: string, fix: string): CheckResult {
  return { check, state: 'warning', message, fix }
}

export function failure(check: string, message: string, fix: string): CheckResult {
  return { check, state: 'error', message, fix }
}

/** Reports what a check throws as its result, so that the other checks still run. */
export async function runCheck(
  check: string,
  fix: string,
  run: () => Promise<CheckResult[]> | CheckResult[],
): Promise<CheckResult[]> {
  try {
    return await run()
  } catch (error) {
    const { message, cause } = error as Error
    const reason =
      cause instanceof Error ? ` (${cause.message || (cause as { code?: string }).code})` : ''
    return [failure(check, message + reason, fix)]
  }
}
