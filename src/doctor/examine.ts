import path from 'node:path'
import { type Clock, systemClock } from '../clock.js'
import { type Config, findEmptyHome, readConfig } from '../config.js'
import { findChainUrl, findServiceUrl } from '../demo.js'
import { createLogger } from '../log.js'
import { borrowDatabase } from '../open-database.js'
import { borrowRails } from '../open-rails.js'
import { Database } from '../postgres/database.js'
import { createSeal } from '../sealed.js'
import { examineDatabase } from './examine-database.js'
import { examineHome, examineKeys, examineModes, examineNode } from './examine-machine.js'
import { examineNodes, examineTreasuries } from './examine-rails.js'
import { examineService, examineWork, examineWorkers } from './examine-work.js'
import { type Finding, look, wrong } from './finding.js'

/**
 * Looks at everything a service needs and changes nothing: no migration, no new secret, no chain
 * that would not run otherwise. The embedded database is started for the moment where it rests.
 */
export async function examine(clock: Clock = systemClock): Promise<Finding[]> {
  const node = examineNode(process.versions.node)
  const home = findEmptyHome()
  if (home !== undefined) {
    const start = 'npm start makes one; or set MANILLA_HOME, or DATABASE_URL.'
    return [node, wrong('Home', `there is no service in ${home}`, start)]
  }
  const config = readOrExplain()
  if (!('home' in config)) return [node, config]
  const url = findServiceUrl(config)
  const service = await examineService(url)
  return [
    node,
    ...examineHome(config),
    ...examineModes(config),
    ...(await examineKeys(config)),
    service,
    ...(await look('Database', databaseMend(config), () => examineInside(config, clock, service))),
  ]
}

function readOrExplain(): Config | Finding {
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

/** With the database open, and the rails beside it. */
async function examineInside(config: Config, clock: Clock, service: Finding): Promise<Finding[]> {
  const database = await borrowDatabase(config)
  const db = new Database(database.url, () => {})
  try {
    const seal = createSeal(config.secret)
    const inDatabase = await examineDatabase({ db, clock, seal })
    const isUsable = !inDatabase.some(({ about, state }) => about === 'Schema' && state === 'wrong')
    if (!isUsable) return inDatabase
    const workers = await look('Workers', databaseMend(config), () => examineWorkers(db))
    const work = await look('Work', databaseMend(config), () => examineWork({ db, clock }))
    return [
      ...inDatabase,
      ...workers,
      ...work,
      ...(await examineOutside({ config, clock, db }, service)),
    ]
  } finally {
    await db.close()
    await database.close()
  }
}

type Outside = { config: Config; clock: Clock; db: Database }

async function examineOutside(
  { config, clock, db }: Outside,
  service: Finding,
): Promise<Finding[]> {
  const isEmbedded = !config.databaseUrl && config.solana.test.urls.length === 0
  // The embedded chain runs with the service alone, and is not started to be looked at.
  const isAsleep = isEmbedded && service.state !== 'well'
  const chainUrl = isEmbedded ? findChainUrl(config.home) : undefined
  const urls = chainUrl === undefined ? {} : { urls: [chainUrl] }
  const nodes = [
    ...(isAsleep ? [] : await examineNodes(config, 'test', { clock, ...urls })),
    ...(await examineNodes(config, 'live', { clock })),
  ]
  if (isAsleep) return nodes
  const mend = 'The keys and seeds of the rails say who they are for: docs/guides/going-live.md.'
  const treasuries = await look('Rails', mend, async () => {
    const tools = { config, db, clock, logger: createLogger('silent') }
    const rails = await borrowRails(tools, chainUrl)
    try {
      return await examineTreasuries(db, rails)
    } finally {
      await rails.close()
    }
  })
  return [...nodes, ...treasuries]
}
