/** What was looked at, how it is, and how to mend it where it is not well. */
export type CheckResult = {
  about: string
  /** `remark` is worth knowing; `wrong` makes the command fail. */
  state: 'well' | 'remark' | 'wrong'
  says: string
  mend?: string
}

export function well(about: string, says: string): CheckResult {
  return { about, state: 'well', says }
}

export function remark(about: string, says: string, mend: string): CheckResult {
  return { about, state: 'remark', says, mend }
}

export function wrong(about: string, says: string, mend: string): CheckResult {
  return { about, state: 'wrong', says, mend }
}

/** What a look throws is what it found: a doctor that dies of an illness helps nobody. */
export async function runCheck(
  about: string,
  mend: string,
  work: () => Promise<CheckResult[]> | CheckResult[],
): Promise<CheckResult[]> {
  try {
    return await work()
  } catch (error) {
    const { message, cause } = error as Error
    const why =
      cause instanceof Error ? ` (${cause.message || (cause as { code?: string }).code})` : ''
    return [wrong(about, message + why, mend)]
  }
}
