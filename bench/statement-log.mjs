/** Reads from PostgreSQL's own log which statements it ran, and their processor time. */
import { createReadStream, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const withoutValues = { log_parameter_max_length: '0', log_min_error_statement: 'panic' }
const withTimes = { log_min_duration_statement: '0', log_statement_stats: 'on' }
const reloadMs = 500
const shownLength = 80
const messageStart = /LOG: {2}duration: \S+ ms {2}(parse|bind|execute|statement)( [^:]+)?:(.*)/
const usage = /^\t!\t([\d.]+) s user, ([\d.]+) s system/

/** Counts executed statements while `work` runs. Cheap enough for a service under load. */
export async function countStatements(server, work) {
  const { result, lines } = await logWhile(server, { log_statement: 'all' }, work)
  let executions = 0
  for await (const line of lines) if (/LOG: {2}(execute|statement)\b/.test(line)) executions += 1
  return { result, executions }
}

/**
 * Logs all statements while `work` runs. Returns them by name (by their first words, if they have
 * none), with the number of executions and microseconds of processor time, which includes writing
 * the log.
 */
export async function logStatements(server, work) {
  const { result, lines } = await logWhile(server, withTimes, work)
  const statements = new Map()
  const runningByPid = new Map()
  let pid
  for await (const line of lines) {
    pid = /^\d{4}-\S+ \S+ \S+ \[(\d+)\]/.exec(line)?.[1] ?? pid
    const message = messageStart.exec(line)
    if (message) {
      const [, kind, name = '', text] = message
      const given = name.trim()
      runningByPid.set(pid, { kind, name: given === '<unnamed>' ? '' : given, text })
      continue
    }
    const running = runningByPid.get(pid)
    if (!running) continue
    const used = usage.exec(line)
    if (used) {
      add(statements, running, 1e6 * (Number(used[1]) + Number(used[2])))
      runningByPid.delete(pid)
    } else if (!running.name && line.startsWith('\t') && running.text.length < shownLength)
      running.text += ` ${line.trim()}`
  }
  return { result, statements: [...statements.values()] }
}

/** Changes settings of the server while `work` runs. Returns the lines logged meanwhile. */
async function logWhile({ db, logFile }, logged, work) {
  const settings = { ...withoutValues, ...logged }
  const change = (text) => db.rows({ text, values: [] })
  for (const [name, value] of Object.entries(settings))
    await change(`alter system set ${name} = '${value}'`)
  await change('select pg_reload_conf()')
  await sleep(reloadMs)
  const start = statSync(logFile).size
  try {
    const result = await work()
    const end = statSync(logFile).size
    return { result, lines: readLines(logFile, { start, end }) }
  } finally {
    for (const name of Object.keys(settings)) await change(`alter system reset ${name}`)
    await change('select pg_reload_conf()')
  }
}

/** Opened when the caller reads: lines that arrive before would be lost. */
async function* readLines(file, range) {
  yield* createInterface({ input: createReadStream(file, range) })
}

function add(statements, { kind, name, text }, microseconds) {
  const shown = name || text.trim().slice(0, shownLength)
  if (!statements.has(shown)) statements.set(shown, { name: shown, executions: 0, us: 0 })
  const statement = statements.get(shown)
  statement.us += microseconds
  if (kind === 'execute' || kind === 'statement') statement.executions += 1
}
