/** Collects measurements, and sums them up as rows with ratios. */
import { cpus } from 'node:os'

const microseconds = ['api', 'workers', 'postgres', 'chain', 'load']

export class Report {
  #measured = new Map()

  record = ({ key, name, goal, node, shape }, result) => {
    const id = `${key} ${node}`
    if (!this.#measured.has(id))
      this.#measured.set(id, { key, name, goal, node, shape, results: [], figures: {} })
    this.#measured.get(id).results.push(result)
    console.log(`  ${name}${node ? `, Node ${node}` : ''}: ${formatResult(result)}`)
  }

  /** Adds figures that are measured once for all rounds of a path. */
  describe({ key, node }, figures) {
    Object.assign(this.#measured.get(`${key} ${node}`).figures, figures)
  }

  /** One row per path and Node. Bare and plain twins are columns of their path. */
  rows() {
    const tpcb = this.#measured.get('tpcb undefined')
    return [...this.#measured.values()]
      .filter(({ key }) => !key.includes('/'))
      .map(({ key, name, goal, node, shape, results, figures }) => {
        const bare = this.#measured.get(`${key}/bare ${node}`)?.results
        const plain = this.#measured.get(`${key}/plain ${node}`)?.results
        const row = {
          key,
          name,
          node,
          shape,
          ...figures,
          ...summarize(results),
          bare: bare && summarize(bare),
          plain: plain && summarize(plain),
          ofBare: bare && median(results.map(({ perSecond }, i) => perSecond / bare[i].perSecond)),
          ofPlain:
            plain && median(results.map(({ perSecond }, i) => perSecond / plain[i].perSecond)),
          // Paths with a bound on latency do not run at full throughput.
          ofTpcb:
            tpcb && key !== 'tpcb' && !goal?.p50
              ? medianOf(results, 'perSecond') / medianOf(tpcb.results, 'perSecond')
              : undefined,
          goal,
        }
        return { ...row, missed: goal && describeMissed(row, goal) }
      })
  }
}

export function describeMachine() {
  return { cpu: cpus()[0]?.model, cores: cpus().length, arch: process.arch, node: process.version }
}

/**
 * Medians of the rounds. `lowest` is the least processor time of any round: other load on the
 * machine only adds to it, so it is what the guard compares.
 */
function summarize(results) {
  const roles = microseconds.filter((role) => results[0].cpu?.[role] !== undefined)
  const pick = (choose) =>
    Object.fromEntries(roles.map((role) => [role, choose(results.map(({ cpu }) => cpu[role]))]))
  return {
    perSecond: medianOf(results, 'perSecond'),
    landedPerSecond: medianOf(results, 'landedPerSecond'),
    p50: medianOf(results, 'p50'),
    p99: medianOf(results, 'p99'),
    cpu: pick(median),
    lowest: pick((list) => Math.min(...list)),
  }
}

function describeMissed(row, goal) {
  const isAtMost = {
    p50: row.p50,
    p99: row.p99,
    nodeUs: row.cpu.api + (row.cpu.workers ?? 0),
    postgresUs: row.cpu.postgres,
    chainUs: row.cpu.chain,
  }
  return Object.entries(goal)
    .filter(([figure, bound]) =>
      figure in isAtMost ? isAtMost[figure] > bound : row[figure] < bound,
    )
    .map(([figure, bound]) => `${figure} ${figure in isAtMost ? '≤' : '≥'} ${bound}`)
    .join(', ')
}

function medianOf(results, figure) {
  const values = results.map((result) => result[figure]).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : median(values)
}

export function median(list) {
  return list.toSorted((left, right) => left - right)[list.length >> 1]
}

export function formatResult({ perSecond, landedPerSecond, p50, p99, cpu }) {
  const parts = [`${Math.round(perSecond)}/s`]
  if (landedPerSecond !== undefined) parts.push(`${Math.round(landedPerSecond)}/s landed`)
  if (p50 !== undefined) parts.push(`p50 ${p50.toFixed(1)} ms`)
  if (p99 !== undefined) parts.push(`p99 ${p99.toFixed(1)} ms`)
  for (const [role, us] of Object.entries(cpu ?? {})) parts.push(`${role} ${Math.round(us)} µs`)
  return parts.join(', ')
}

/** The columns of the table, in the terminal and in the documentation. */
export const columns = [
  ['path', ({ name }) => name],
  ['Node', ({ node }) => node?.replace(/^v(\d+).*/, '$1') ?? ''],
  [
    'per second',
    ({ perSecond, landedPerSecond }) =>
      [perSecond, landedPerSecond]
        .filter((rate) => rate !== undefined)
        .map((rate) => Math.round(rate).toLocaleString('en'))
        .join(' / '),
  ],
  ['p50 ms', ({ p50 }) => p50?.toFixed(1) ?? ''],
  ['p99 ms', ({ p99 }) => p99?.toFixed(1) ?? ''],
  ['API µs', ({ cpu }) => wholeUs(cpu.api)],
  ['PostgreSQL µs', ({ cpu }) => wholeUs(cpu.postgres)],
  ['chain µs', ({ cpu }) => wholeUs(cpu.chain)],
  ['load µs', ({ cpu }) => wholeUs(cpu.load)],
  ['of bare', ({ ofBare }) => (ofBare ? `${Math.round(100 * ofBare)} %` : '')],
  ['× TPC-B', ({ ofTpcb }) => ofTpcb?.toFixed(1) ?? ''],
  ['× plain', ({ ofPlain }) => ofPlain?.toFixed(1) ?? ''],
]

/** The columns of whole lives. Figures are per life unless they are ratios. */
export const lifeColumns = [
  ['life', ({ name }) => name],
  ['as', ({ shape }) => (shape === 'start' ? 'npm start' : shape)],
  ['Node', ({ node }) => node.replace(/^v(\d+).*/, '$1')],
  ['per second', ({ perSecond }) => whole(perSecond)],
  ['API µs', ({ cpu }) => wholeUs(cpu.api)],
  ['workers µs', ({ cpu }) => wholeUs(cpu.workers)],
  ['PostgreSQL µs', ({ cpu }) => wholeUs(cpu.postgres)],
  ['chain µs', ({ cpu }) => wholeUs(cpu.chain)],
  ['load µs', ({ cpu }) => wholeUs(cpu.load)],
  ['WAL bytes', ({ database }) => whole(database.walBytes)],
  ['inserts', ({ database }) => database.inserts.toFixed(1)],
  ['updates', ({ database }) => database.updates.toFixed(1)],
  ['HOT', ({ database: { hotUpdates, updates } }) => percent(hotUpdates / updates)],
  ['index entries ≤', ({ database }) => database.indexEntries.toFixed(0)],
  ['commits', ({ database }) => database.commits.toFixed(2)],
  ['statements', ({ steps }) => steps?.statements.toFixed(2) ?? ''],
  ['flushes', ({ database }) => database.flushes.toFixed(2)],
  ['calls per batch', ({ lanes: { calls, batches } }) => ratio(calls, batches)],
  ['rolled back', ({ lanes: { rolledBack, batches } }) => share(rolledBack, batches)],
  ['deferred', ({ lanes: { deferred, calls } }) => share(deferred, calls)],
  ['of bare', ({ ofBare }) => (ofBare ? percent(ofBare) : '')],
  ['× TPC-B', ({ ofTpcb }) => ofTpcb?.toFixed(2) ?? ''],
]

/** The columns of a soak, per request. */
export const rateColumns = [
  ['requests/s', ({ perSecond }) => perSecond.toLocaleString('en')],
  ['sent/s', ({ sentPerSecond }) => whole(sentPerSecond)],
  ['Node ms', ({ cpu }) => toMs(cpu.service)],
  ['PG ms', ({ cpu }) => toMs(cpu.postgres)],
  ['chain ms', ({ cpu }) => toMs(cpu.chain)],
  ['p50 ms', ({ p50 }) => p50.toFixed(1)],
  ['p99 ms', ({ p99 }) => p99.toFixed(1)],
  ['payments p50', ({ payments }) => payments?.p50.toFixed(1) ?? ''],
  ['payments p99', ({ payments }) => payments?.p99.toFixed(1) ?? ''],
  ['refused', ({ failed }) => String(failed)],
  ['memory MB', ({ service }) => String(Math.round(service))],
  ['commits', ({ database }) => database.commits.toFixed(2)],
  ['statements', ({ statements }) => statements?.toFixed(2) ?? ''],
  ['flushes', ({ database }) => database.flushes.toFixed(2)],
  ['WAL bytes', ({ database }) => String(Math.round(database.walBytes))],
]

/** The columns of lives with PostgreSQL on a core of its own. */
export const pinnedColumns = [
  ['API processes', ({ apiProcesses }) => String(apiProcesses)],
  ['workers', ({ workerProcesses }) => String(workerProcesses)],
  ['per second', ({ perSecond }) => whole(perSecond)],
  ['API µs', ({ cpu }) => wholeUs(cpu.api)],
  ['workers µs', ({ cpu }) => wholeUs(cpu.workers)],
  ['PostgreSQL µs', ({ cpu }) => wholeUs(cpu.postgres)],
  ['load µs', ({ cpu }) => wholeUs(cpu.load)],
  ['core of PostgreSQL', ({ perSecond, cpu }) => percent((perSecond * cpu.postgres) / 1e6)],
  ['per core of PostgreSQL', ({ cpu }) => `${whole(1e6 / cpu.postgres)}/s`],
]

/** Steps of at least ten microseconds as rows: those of Node and PostgreSQL per life. */
export function stepsOf({ steps }) {
  const names = [...new Set([...Object.keys(steps.node), ...Object.keys(steps.postgres)])]
  const total = ({ node = 0, postgres = 0 }) => node + postgres
  return names
    .map((step) => ({ step, node: steps.node[step], postgres: steps.postgres[step] }))
    .filter((times) => total(times) >= 10)
    .toSorted((left, right) => total(right) - total(left))
}

export const stepColumns = [
  ['step', ({ step }) => step],
  ['Node µs', ({ node }) => wholeUs(node)],
  ['PostgreSQL µs', ({ postgres }) => wholeUs(postgres)],
]

/** Milliseconds of microseconds. */
export function toMs(microseconds) {
  return (microseconds / 1000).toFixed(2)
}

export function whole(value) {
  return Math.round(value).toLocaleString('en')
}

function percent(value) {
  return `${Math.round(100 * value)} %`
}

function ratio(value, of) {
  return of === 0 ? '' : (value / of).toFixed(1)
}

function share(value, of) {
  return of === 0 ? '' : `${((100 * value) / of).toFixed(1)} %`
}

function wholeUs(us) {
  return us === undefined ? '' : String(Math.round(us))
}

export function printTable(rows) {
  const missed = ['goals missed', ({ missed }) => missed ?? '']
  const lives = rows.filter(({ shape }) => shape)
  const requests = rows.filter(({ shape }) => !shape)
  if (lives.length > 0) printCells([...lifeColumns, missed], lives)
  for (const life of lives.filter(({ steps }) => steps)) {
    console.log(`\n${life.name}, ${life.shape}, Node ${life.node}: steps`)
    printCells(stepColumns, stepsOf(life))
  }
  console.log('')
  if (requests.length > 0) printCells([...columns, missed], requests)
}

/** Prints rows with the given columns, each a title and a function of the row. */
export function printCells(shown, rows) {
  const cells = [
    shown.map(([title]) => title),
    ...rows.map((row) => shown.map(([, of]) => of(row))),
  ]
  const widths = shown.map((_, index) => Math.max(...cells.map((line) => line[index].length)))
  for (const line of cells)
    console.log(
      line
        .map((cell, i) =>
          i === 0 || i === shown.length - 1 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]),
        )
        .join('  ')
        .trimEnd(),
    )
}
