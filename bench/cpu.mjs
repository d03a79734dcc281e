import { readdirSync, readFileSync } from 'node:fs'

const tickUs = 10_000

/**
 * Measures processor time per request from now until read. Takes process ids by role; the children
 * of a process count with it, unless they have a role themselves. Needs /proc; elsewhere there are
 * no figures.
 */
export function startMeter(pidsByRole) {
  const before = readCpu(pidsByRole)
  return {
    /** Microseconds per request, by role. */
    read(requests) {
      const after = readCpu(pidsByRole)
      return Object.fromEntries(
        Object.keys(after).map((role) => [role, (after[role] - before[role]) / requests]),
      )
    },
  }
}

export function readPostmasterPid(dataDirectory) {
  return Number.parseInt(readFileSync(`${dataDirectory}/postmaster.pid`, 'utf8'), 10)
}

function readCpu(pidsByRole) {
  if (process.platform !== 'linux') return {}
  const all = listProcesses()
  const named = Object.values(pidsByRole).flat()
  const sum = (roots) =>
    all.reduce((ticks, { pid, parent, own, ofEndedChildren }) => {
      if (roots.includes(pid)) return ticks + own + ofEndedChildren
      return roots.includes(parent) && !named.includes(pid) ? ticks + own : ticks
    }, 0)
  return Object.fromEntries(
    Object.entries(pidsByRole).map(([role, roots]) => [role, sum(roots) * tickUs]),
  )
}

/** Process id, parent and processor time of every process of this machine. */
export function listProcesses() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(readTimes).filter((times) => times !== undefined)
}

/** Undefined if the process has ended. */
function readTimes(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) \S /s, '')
      .split(' ')
    const [parent, user, system, endedUser, endedSystem] = [0, 10, 11, 12, 13].map((index) =>
      Number(fields[index]),
    )
    return {
      pid: Number(pid),
      parent,
      own: user + system,
      ofEndedChildren: endedUser + endedSystem,
    }
  } catch {
    return undefined
  }
}
