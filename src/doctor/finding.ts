/** What was looked at, how it is, and how to mend it where it is not well. */
export type Finding = {
  about: string
  /** `notice` is worth knowing; `wrong` makes the command fail. */
  state: 'well' | 'notice' | 'wrong'
  says: string
  mend?: string
}

export function well(about: string, says: string): Finding {
  return { about, state: 'well', says }
}

export function notice(about: string, says: string, mend: string): Finding {
  return { about, state: 'notice', says, mend }
}

export function wrong(about: string, says: string, mend: string): Finding {
  return { about, state: 'wrong', says, mend }
}

/** What a look throws is what it found: a doctor that dies of an illness helps nobody. */
export async function look(
  about: string,
  mend: string,
  work: () => Promise<Finding[]> | Finding[],
): Promise<Finding[]> {
  try {
    return await work()
  } catch (error) {
    return [wrong(about, (error as Error).message, mend)]
  }
}
