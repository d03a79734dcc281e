import path from 'node:path'
import { type Clock, systemClock } from '../../base/clock.js'
import { type Config, findEmptyHome, readConfig, usesSandbox } from '../../base/config.js'
import { createLogger, type Logger } from '../../base/log.js'
import { createSeal } from '../../base/sealed.js'
import { Database } from '../../postgres/database.js'
import { type CheckResult, failure, runCheck } from './check-result.js'
import { examineAudit } from './examine-audit.js'
import { examineBanks } from './examine-banks.js'
import { examineDatabase } from './examine-database.js'
import { examineFreezes } from './examine-freezes.js'
import { examineHome, examineKeys, examineModes, examineNodeVersion } from './examine-machine.js'
import { examineMail } from './examine-mail.js'
import {
  type ExaminedRails,
  examineEndpoints,
  examineShortfalls,
  examineTreasuries,
} from './examine-rails.js'
import { examineRates } from './examine-rates.js'
import { examineReplica } from './examine-replica.js'
import { examineScreening } from './examine-screening.js'
import { examineService, examineWork, examineWorkers } from './examine-work.js'

/** Opens the parts of the service that are checked; the entry points implement it. */
export type Openers = {
  borrowDatabase(config: Config): Promise<{ url: string; close(): Promise<void> }>
  borrowRails(
    tools: { config: Config; db: Database; clock: Clock; logger: Logger },
    chainUrl: string | undefined,
  ): Promise<ExaminedRails & { close(): Promise<void> }>
  findChainUrl(home: string): string | undefined
  findServiceUrl(config: Config): string | undefined
}

/**
 * Checks everything a service needs without changing it: no migration, no new secret, no embedded
 * chain. The embedded database is started temporarily if it is not running.
 */
export async function examine(
  openers: Openers,
  clock: Clock = systemClock,
): Promise<CheckResult[]> {
  const node = examineNodeVersion(process.versions.node)
  const home = findEmptyHome()
  if (home !== undefined) {
    const fix = 'Run `npm start` to create one, or set MANILLA_HOME or DATABASE_URL.'
    return [node, failure('Home', `no service found in ${home}`, fix)]
  }
  const config = readOrExplain()
  if (!('home' in config)) return [node, config]
  const url = openers.findServiceUrl(config)
  const service = await examineService(url)
  return [
    node,
    ...examineHome(config),
    ...examineModes(config),
    ...(await examineKeys(config)),
    service,
    ...(await runCheck('Database', databaseFix(config), () =>
      examineStoredState({ config, clock, openers }, service),
    )),
  ]
}

function readOrExplain(): Config | CheckResult {
  try {
    return readConfig()
  } catch (error) {
    const fix = 'Correct the variable. docs/operating/configuration.md lists all of them.'
    return failure('Configuration', (error as Error).message, fix)
  }
}

function databaseFix({ databaseUrl, home }: Config): string {
  return databaseUrl
    ? 'Check DATABASE_URL, and that PostgreSQL is running and accepts connections from here.'
    : `See ${path.join(home, 'postgres.log')}.`
}

type DoctorDependencies = { config: Config; clock: Clock; openers: Openers }

async function examineStoredState(
  { config, clock, openers }: DoctorDependencies,
  service: CheckResult,
): Promise<CheckResult[]> {
  const database = await openers.borrowDatabase(config)
  const db = new Database(database.url, () => {})
  try {
    return await examineRows({ config, clock, db }, () =>
      examineRails({ config, clock, openers, db }, service),
    )
  } finally {
    await db.close()
    await database.close()
  }
}

async function examineRows(
  { config, clock, db }: { config: Config; clock: Clock; db: Database },
  examineRails: () => Promise<CheckResult[]>,
): Promise<CheckResult[]> {
  const seal = createSeal(config.secret, config.otherSecrets)
  const simulation = usesSandbox(config.bank)
  const { secretFile } = config
  const inDatabase = await examineDatabase({ db, clock, seal, simulation, secretFile })
  const isUsable = !inDatabase.some(({ check, state }) => check === 'Schema' && state === 'error')
  if (!isUsable) return inDatabase
  const workers = await runCheck('Workers', databaseFix(config), () => examineWorkers(db))
  const work = await runCheck('Work', databaseFix(config), () => examineWork({ db, clock }))
  const funds = await runCheck('Funds', databaseFix(config), () => examineShortfalls({ db, clock }))
  const freezes = await runCheck('Freezes', databaseFix(config), () => examineFreezes(db))
  const audit = await runCheck('Audit log', databaseFix(config), () => examineAudit(db))
  const rates = await runCheck('Rates', databaseFix(config), () =>
    examineRates({ db, clock, config: config.rates }),
  )
  const mail = await runCheck('Mail', databaseFix(config), () =>
    examineMail({ db, clock, config: config.mail }),
  )
  const screening = await runCheck('Screening', databaseFix(config), () =>
    examineScreening({ db, clock, config: config.screening }),
  )
  return [
    ...inDatabase,
    ...freezes,
    ...audit,
    ...(await examineReplica(db, config.databaseRead)),
    ...workers,
    ...work,
    ...funds,
    ...rates,
    ...mail,
    ...screening,
    ...(await examineRails()),
  ]
}

type Inside = {
  config: Config
  clock: Clock
  db: Database
  rails: ExaminedRails & { chainUrl?: string | undefined }
}

/** The same checks from within a process of the service, with its own database and rails. */
export async function examineInside({ config, clock, db, rails }: Inside): Promise<CheckResult[]> {
  const localnetUrl = rails.chainUrl
  return [
    examineNodeVersion(process.versions.node),
    ...examineHome(config),
    ...examineModes(config),
    ...(await examineKeys(config)),
    ...(await runCheck('Database', databaseFix(config), () =>
      examineRows({ config, clock, db }, async () => [
        ...(await examineEndpoints(config, 'test', { db, clock, localnetUrl })),
        ...(await examineEndpoints(config, 'live', { db, clock })),
        ...(await examineOpened(db, rails, config)),
      ]),
    )),
  ]
}

async function examineRails(
  { config, clock, openers, db }: DoctorDependencies & { db: Database },
  service: CheckResult,
): Promise<CheckResult[]> {
  const isEmbedded = !config.databaseUrl && config.solana.test.urls.length === 0
  // The embedded chain runs only with the service and is not started for a check.
  const isStopped = isEmbedded && service.state !== 'ok'
  const chainUrl = isEmbedded ? openers.findChainUrl(config.home) : undefined
  const nodes = [
    ...(isStopped
      ? []
      : await examineEndpoints(config, 'test', { db, clock, localnetUrl: chainUrl })),
    ...(await examineEndpoints(config, 'live', { db, clock })),
  ]
  if (isStopped) return nodes
  const fix = 'Check the keys and seeds of the rails: docs/guides/going-live.md.'
  const treasuries = await runCheck('Rails', fix, async () => {
    const tools = { config, db, clock, logger: createLogger('silent') }
    const rails = await openers.borrowRails(tools, chainUrl)
    try {
      return await examineOpened(db, rails, config)
    } finally {
      await rails.close()
    }
  })
  return [...nodes, ...treasuries]
}

async function examineOpened(
  db: Database,
  rails: ExaminedRails,
  { bank }: Config,
): Promise<CheckResult[]> {
  return [...(await examineTreasuries(db, rails)), ...(await examineBanks(db, rails.rails, bank))]
}
