/** Tables that no path of the crash matrix has to write, and why. */
export const tablesWithoutPath: Record<string, string> = {}

/** Calls to providers and chains that no path has to make, and why. */
export const callsWithoutPath: Record<string, string> = {}
