/** Processor time of PostgreSQL, in microseconds: all of its processes, those that ended too. */
import { readdirSync, readFileSync } from 'node:fs'

const tickUs = 10_000

/** Not a number where the system does not tell. */
export function readPostgresCpu(pidFile) {
  if (process.platform !== 'linux') return Number.NaN
  const postmaster = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const children = all.map(readTimes).filter((times) => times?.parent === postmaster)
  const own = readTimes(postmaster)
  const ticks = children.reduce((sum, { used }) => sum + used, own.used + own.ofEnded)
  return ticks * tickUs
}

/** Undefined: it ended while it was looked at. */
function readTimes(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) \S /s, '')
      .split(' ')
    const [parent, user, system, endedUser, endedSystem] = [0, 10, 11, 12, 13].map((index) =>
      Number(fields[index]),
    )
    return { parent, used: user + system, ofEnded: endedUser + endedSystem }
  } catch {
    return undefined
  }
}
