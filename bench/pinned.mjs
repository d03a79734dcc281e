/**
 * node bench/pinned.mjs: bank transfers until COMPLETED with PostgreSQL alone on one core, and
 * everything else on another, with one and two processes of API and workers. Shows what a database
 * on a machine of its own takes per core, and whether more processes pay. See README.md.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { listProcesses } from './cpu.mjs'
import { startProcess } from './processes.mjs'
import { describeMachine, median, pinnedColumns, printCells } from './report.mjs'

const rounds = Number(process.env.SCALE_ROUNDS ?? 3)
const seconds = Number(process.env.SCALE_SECONDS ?? 5)
const warmRequests = Number(process.env.SCALE_WARM ?? 8_000)
const connections = 128
const [ourCore, databaseCore] = ['0', '1']
const variants = [
  { apiProcesses: 1, workerProcesses: 1 },
  { apiProcesses: 2, workerProcesses: 1 },
  { apiProcesses: 1, workerProcesses: 2 },
  { apiProcesses: 2, workerProcesses: 2 },
]

await buildOrExit()
const { openDeployment } = await import('./deployments.mjs')
const { lives, prepareMerchant, runLife } = await import('./lives.mjs')
const { assertLedgerIsClean, startLoad } = await import('./workbench.mjs')
const life = lives.find(({ key }) => key === 'bank-life')

const load = await startLoad()
const receiver = await startProcess('./receiver.mjs')
const rows = []
for (const variant of variants) rows.push(await measureVariant(variant))
await load.stop()
await receiver.stop()

console.log(`\n${life.name}, median of ${rounds} × ${seconds} s`)
printCells(pinnedColumns, rows)
const folder = new URL('./results/', import.meta.url)
mkdirSync(folder, { recursive: true })
const result = { measuredAt: new Date(), machine: describeMachine(), rounds, seconds, rows }
writeFileSync(new URL('pinned.json', folder), `${JSON.stringify(result, null, 2)}\n`)

async function measureVariant(variant) {
  const deployment = await openDeployment({
    ...variant,
    shape: 'serve + work',
    chainKind: 'localnet',
    node: process.execPath,
  })
  try {
    const site = { ...deployment, load, receiver, options: { connections } }
    await prepareMerchant(site)
    const { postgres, ...others } = site.roles
    pin(postgres, databaseCore)
    pin([...Object.values(others).flat(), load.pid, receiver.pid], ourCore)
    await runLife(site, life, { count: warmRequests })
    const results = []
    while (results.length < rounds) results.push((await runLife(site, life, { seconds })).result)
    await assertLedgerIsClean(site.db)
    return { ...variant, ...sumUp(results) }
  } finally {
    await deployment.stop()
  }
}

/** Pins all threads of the processes and of their children; later children inherit it. */
function pin(pids, core) {
  const family = listProcesses().filter(
    ({ pid, parent }) => pids.includes(pid) || pids.includes(parent),
  )
  for (const { pid } of family)
    execFileSync('taskset', ['-a', '-c', '-p', core, String(pid)], { stdio: 'ignore' })
}

function sumUp(results) {
  const roles = Object.keys(results[0].cpu)
  const cpu = Object.fromEntries(
    roles.map((role) => [role, median(results.map((result) => result.cpu[role]))]),
  )
  return { perSecond: median(results.map(({ perSecond }) => perSecond)), cpu }
}
