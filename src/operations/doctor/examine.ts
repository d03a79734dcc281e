import path from 'node:path'
import { type Clock, systemClock } from '../../base/clock.js'
import { type Config, findEmptyHome, readConfig } from '../../base/config.js'
import { createLogger, type Logger } from '../../base/log.js'
import { createSeal } from '../../base/sealed.js'
import { Database } from '../../postgres/database.js'
import { examineDatabase } from './examine-database.js'
import { examineHome, examineKeys, examineModes, examineNode } from './examine-machine.js'
import { type ExaminedRails, examineNodes, examineTreasuries } from './examine-rails.js'
import { examineService, examineWork, examineWorkers } from './examine-work.js'
import { type CheckResult, runCheck, wrong } from './finding.js'

/** How the doors open what is examined. */
export type Openings = {
  borrowDatabase(config: Config): Promise<{ url: string; close(): Promise<void> }>
  borrowRails(
    tools: { config: Config; db: Database; clock: Clock; logger: Logger },
    chainUrl: string | undefined,
  ): Promise<ExaminedRails & { close(): Promise<void> }>
  findChainUrl(home: string): string | undefined
  findServiceUrl(config: Config): string | undefined
}

/**
 * Looks at everything a service needs and changes nothing: no migration, no new secret, no chain
 * that would not run otherwise. The embedded database is started for the moment where it rests.
 */
export async function examine(
  openings: Openings,
  clock: Clock = systemClock,
): Promise<CheckResult[]> {
  const node = examineNode(process.versions.node)
  const home = findEmptyHome()
  if (home !== undefined) {
    const start = 'npm start makes one; or set MANILLA_HOME, or DATABASE_URL.'
    return [node, wrong('Home', `there is no service in ${home}`, start)]
  }
  const config = readOrExplain()
  if (!('home' in config)) return [node, config]
  const url = openings.findServiceUrl(config)
  const service = await examineService(url)
  return [
    node,
    ...examineHome(config),
    ...examineModes(config),
    ...(await examineKeys(config)),
    service,
    ...(await runCheck('Database', databaseMend(config), () =>
      examineInside({ config, clock, openings }, service),
    )),
  ]
}

function readOrExplain(): Config | CheckResult {
  try {
    return readConfig()
  } catch (error) {
    const mend = 'Correct the variable; docs/operating/configuration.md has them all.'
    return wrong('Configuration', (error as Error).message, mend)
  }
}

function databaseMend({ databaseUrl, home }: Config): string {
  return databaseUrl
    ? 'Check DATABASE_URL, and that PostgreSQL runs there and lets this machine in.'
    : `${path.join(home, 'postgres.log')} says why.`
}

type Inside = { config: Config; clock: Clock; openings: Openings }

/** With the database open, and the rails beside it. */
async function examineInside(
  { config, clock, openings }: Inside,
  service: CheckResult,
): Promise<CheckResult[]> {
  const database = await openings.borrowDatabase(config)
  const db = new Database(database.url, () => {})
  try {
    const seal = createSeal(config.secret)
    const simulation = config.bank.test === 'sandbox'
    const inDatabase = await examineDatabase({ db, clock, seal, simulation })
    const isUsable = !inDatabase.some(({ about, state }) => about === 'Schema' && state === 'wrong')
    if (!isUsable) return inDatabase
    const workers = await runCheck('Workers', databaseMend(config), () => examineWorkers(db))
    const work = await runCheck('Work', databaseMend(config), () => examineWork({ db, clock }))
    return [
      ...inDatabase,
      ...workers,
      ...work,
      ...(await examineOutside({ config, clock, openings, db }, service)),
    ]
  } finally {
    await db.close()
    await database.close()
  }
}

type Outside = Inside & { db: Database }

async function examineOutside(
  { config, clock, openings, db }: Outside,
  service: CheckResult,
): Promise<CheckResult[]> {
  const isEmbedded = !config.databaseUrl && config.solana.test.urls.length === 0
  // The embedded chain runs with the service alone, and is not started to be looked at.
  const isAsleep = isEmbedded && service.state !== 'well'
  const chainUrl = isEmbedded ? openings.findChainUrl(config.home) : undefined
  const urls = chainUrl === undefined ? {} : { urls: [chainUrl] }
  const nodes = [
    ...(isAsleep ? [] : await examineNodes(config, 'test', { clock, ...urls })),
    ...(await examineNodes(config, 'live', { clock })),
  ]
  if (isAsleep) return nodes
  const mend = 'The keys and seeds of the rails say who they are for: docs/guides/going-live.md.'
  const treasuries = await runCheck('Rails', mend, async () => {
    const tools = { config, db, clock, logger: createLogger('silent') }
    const rails = await openings.borrowRails(tools, chainUrl)
    try {
      return await examineTreasuries(db, rails)
    } finally {
      await rails.close()
    }
  })
  return [...nodes, ...treasuries]
}
