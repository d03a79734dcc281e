import * as fs from 'node:fs'

/** For files that other processes create and remove at the same time. */

/** Ignores that another process has just created the same thing. */
export function unlessTaken(make: () => void): void {
  try {
    make()
  } catch (error) {
    if (!hasCode(error, ['EEXIST', 'ENOTEMPTY'])) throw error
  }
}

/** Empty if the file does not exist. */
export function readFrom(file: string, start = 0): string {
  try {
    return fs.readFileSync(file).subarray(start).toString()
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ESRCH'])) return ''
    throw error
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, ['EPERM'])
  }
}

export function hasCode(error: unknown, codes: string[]): boolean {
  return codes.includes((error as { code?: string }).code ?? '')
}
