import * as fs from 'node:fs'

/** What it takes to share files with processes that come and go as they like. */

/** Another process may have been first: then what it made is as good as ours. */
export function unlessTaken(make: () => void): void {
  try {
    make()
  } catch (error) {
    if (!hasCode(error, ['EEXIST', 'ENOTEMPTY'])) throw error
  }
}

/** A file that is not there reads as empty. */
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
