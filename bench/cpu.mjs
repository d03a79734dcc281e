import { readdirSync, readFileSync } from 'node:fs'

const tickUs = 10_000

/** Processor time of the API, PostgreSQL and the load generator from now until read. */
export async function startMeter({ server, pidFile }) {
  const startedAt = performance.now()
  const readCpu = async () => {
    const { user, system } = (await server.ask()).cpu
    return { api: user + system, postgres: readPostgresCpu(pidFile) }
  }
  const before = await readCpu()
  const meter = {
    async read(result) {
      return (await meter.readAll(result)).used
    },
    /** As text, and in microseconds per request. */
    async readAll({ sent, cpu }) {
      const now = await readCpu()
      const elapsedUs = (performance.now() - startedAt) * 1000
      const spent = {
        api: now.api - before.api,
        postgres: now.postgres - before.postgres,
        load: cpu.user + cpu.system,
      }
      const format = ([name, us]) =>
        `${name} ${Math.round(us / sent)} µs (${Math.round((100 * us) / elapsedUs)} %)`
      const each = Object.entries(spent).map(([name, us]) => [name, us / sent])
      return {
        used: Object.entries(spent).map(format).join(', '),
        each: Object.fromEntries(each),
      }
    },
  }
  return meter
}

/** Microseconds of all PostgreSQL processes, including ended ones; NaN without /proc. */
function readPostgresCpu(pidFile) {
  if (process.platform !== 'linux') return Number.NaN
  const postmaster = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const children = all.map(readTimes).filter((times) => times?.parent === postmaster)
  const own = readTimes(postmaster)
  const ticks = children.reduce((sum, { used }) => sum + used, own.used + own.ofEnded)
  return ticks * tickUs
}

/** Undefined if the process ended meanwhile. */
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
