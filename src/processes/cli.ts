import { spawn } from 'node:child_process'
import type { RequestListener, Server } from 'node:http'
import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { type RealTime, systemClock } from '../base/clock.js'
import { type Config, findEmptyHome, hasDatabaseUrl, readConfig } from '../base/config.js'
import { createLogger, type Logger, logLostConnection } from '../base/log.js'
import { noRateSources } from '../base/rate-sources.js'
import { Refusal } from '../base/refusal.js'
import { createSeal } from '../base/sealed.js'
import type { Secret } from '../base/secret.js'
import { createVatReader } from '../ledger/vat-rates.js'
import { openMailbox } from '../mail/mailbox.js'
import { allActions, commandGroups } from '../operations/actions/all-actions.js'
import { consoleActions } from '../operations/actions/console.js'
import { registerDoctor } from '../operations/actions/doctor.js'
import type { ResolveHolder, Service, Terminal } from '../operations/definitions/definition.js'
import { registerCommands } from '../operations/definitions/register-commands.js'
import type { CheckResult } from '../operations/doctor/check-result.js'
import type { ReconcilableRails } from '../operations/reconcile/reconcile.js'
import { Database } from '../postgres/database.js'
import { createRateBook } from '../rates/rate-book.js'
import type { Screening } from '../screening/ports.js'
import { simulatedRates } from '../simulation/simulated-rates.js'
import { keepVatRates } from './keep-vat-rates.js'
import {
  closeLoopback,
  explainListenError,
  listenOnLoopback,
  loopbackUrl,
} from './loopback-server.js'
import { borrowDatabase } from './open-database.js'
import { planPreparation, prepareDatabase } from './prepare-database.js'
import { forceExitLater, waitForSignal } from './signals.js'

type TerminalDisplay = Pick<Terminal, 'startProgress' | 'formatTable' | 'paint' | 'confirmLive'>

/** Adds the operator's commands to the program that has the API commands. */
export function registerOperator(program: Command, console: TerminalDisplay): void {
  const terminal: Terminal = { ...baseTerminal, ...console }
  program.commandsGroup('Run a service:')
  registerServices(program)
  program.commandsGroup('Operate a service (needs its database):')
  registerCommands(program, { terminal, service }, allActions, commandGroups)
  registerDoctor(program, terminal, examineService)
  registerCommands(program, { terminal, service }, consoleActions, {})
}

function registerServices(program: Command): void {
  program
    .command('start')
    .description('run everything in one process, as `npm start` does')
    .action(async () => {
      await import('./main.js')
    })

  program
    .command('serve')
    .description('run the API (needs DATABASE_URL), on as many machines as you need')
    .action(runServe)

  program
    .command('work')
    .description('run background jobs (needs DATABASE_URL); start as many processes as you need')
    .action(runWork)

  program
    .command('migrate')
    .description('apply database migrations')
    .option('--dry-run', 'print the missing migrations and whether they can be applied now')
    .action(runMigrate)
}

const baseTerminal: Omit<Terminal, keyof TerminalDisplay> = {
  clock: systemClock,
  actor: userInfo().username,
  print,
  async withDatabase(work) {
    const config = readConfigOfService()
    const database = await borrowDatabase(config)
    const onLost = logLostConnection(createLoggerOf(config))
    const db = new Database(database.url, onLost)
    const seal = createSeal(config.secret, config.otherSecrets)
    const consoleUrl = config.consoleUrl ?? config.publicUrl
    const closeMailbox = openMailbox(db.name, { seal, consoleUrl })
    try {
      // Only a start creates the sandbox tables: this shell may lack the service's BANK_TEST=none.
      await prepareDatabase(database.url, config, { simulation: false })
      // Some commands end payouts, and their events show fees.
      await createVatReader(db)()
      return await work(db, seal)
    } finally {
      closeMailbox()
      await db.close()
      await database.close()
    }
  },
}

/** Refuses a folder without a service: a mistyped path must not create one. */
function readConfigOfService(): Config {
  const home = findEmptyHome()
  if (home !== undefined)
    throw new Error(
      `No service found in ${home}. Start one there first, or set MANILLA_HOME or DATABASE_URL.`,
    )
  return readConfig()
}

const service: Service = {
  withRails,
  rateConfig: () => readConfig().rates ?? noRateSources,
  retention: () => readConfig().retention,
  rateBook: (db) => createRateBook({ db, clock: systemClock, simulated: simulatedRates }),
  resolveHolder,
  openScreening,
  findConsoleUrl,
  openStart,
  openBrowser,
}

async function withRails<Result>(
  db: Database,
  work: (rails: ReconcilableRails) => Promise<Result>,
): Promise<Result> {
  const config = readConfig()
  const { borrowRails } = await import('./open-rails.js')
  const { findChainUrl } = await import('../simulation/demo.js')
  const chainUrl = config.databaseUrl ? undefined : findChainUrl(config.home)
  const dependencies = { config, db, clock: systemClock, logger: createLoggerOf(config) }
  const rails = await borrowRails(dependencies, chainUrl)
  try {
    return await work(rails)
  } finally {
    await rails.close()
  }
}

async function resolveHolder(...[db, environment, account]: Parameters<ResolveHolder>) {
  const config = readConfig()
  const opened = await import('./open-rails.js')
  const dependencies = { config, db, clock: systemClock, logger: createLoggerOf(config) }
  return opened.resolveHolder(dependencies, environment, account)
}

async function openScreening(): Promise<Screening | undefined> {
  const config = readConfig()
  const opened = await import('../rails/screening/open-screening.js')
  const logger = createLoggerOf(config)
  return config.screening && opened.openScreening(config.screening, { clock: systemClock, logger })
}

async function examineService(): Promise<CheckResult[]> {
  const { examine } = await import('../operations/doctor/examine.js')
  const { borrowRails } = await import('./open-rails.js')
  const { findChainUrl, findServiceUrl } = await import('../simulation/demo.js')
  return examine({ borrowDatabase, borrowRails, findChainUrl, findServiceUrl })
}

/** Where users sign in: the address of the console, or of the API. */
async function findConsoleUrl(): Promise<string> {
  const config = readConfig()
  const { findServiceUrl } = await import('../simulation/demo.js')
  const { toConsoleUrl } = await import('../simulation/demo-console.js')
  const baseUrl = findServiceUrl(config) ?? `http://127.0.0.1:${config.port}`
  return config.consoleUrl ?? config.publicUrl ?? toConsoleUrl(baseUrl)
}

async function openStart(db: Database, now: RealTime): Promise<string> {
  const config = readConfig()
  const { findDemo } = await import('../simulation/demo.js')
  const { openDemoConsole } = await import('../simulation/demo-console.js')
  const demo = config.databaseUrl ? undefined : findDemo(config.home)
  if (!demo)
    throw new Refusal('validation_failed', {
      message:
        'Start links are for a service that `npm start` runs with its own database. Use `manilla users create` instead.',
    })
  return openDemoConsole(db, now, demo)
}

/** Opens a browser only in a terminal: a script reads the link. */
function openBrowser(url: string): boolean {
  const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' }
  const program = programs[process.platform]
  if (!program || !process.stdout.isTTY) return false
  const started = spawn(program, [url], { stdio: 'ignore', detached: true })
  // Without such a program the link is printed, too.
  started.on('error', () => print(url))
  started.unref()
  return true
}

async function runMigrate({ dryRun = false }: { dryRun?: boolean }): Promise<void> {
  if (dryRun) return planMigration()
  const { applied } = await prepareService()
  print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'Already up to date.')
}

async function planMigration(): Promise<void> {
  const config = readServiceConfig()
  const { missing, obstacle } = await planPreparation(config.databaseUrl.reveal(), config)
  if (missing.length === 0) return print('Already up to date.')
  print('Missing:')
  for (const { name, knownMin } of missing)
    print(
      `  ${name}: ${knownMin ? `runs beside processes that know ${knownMin}` : 'older processes must be stopped'}`,
    )
  if (obstacle) {
    print(obstacle)
    process.exitCode = 1
  } else print('All of them can be applied now.')
}

async function runServe(): Promise<void> {
  const { config, logger } = await prepareService()
  const { apiProcesses: processes } = config
  const served = await (processes === 1 ? serveHere(config, logger) : serveAside(config, logger))
  logger.info({ url: served.url, metrics: served.metricsUrl, processes }, 'serving')
  const signal = await waitForSignal()
  forceExitLater()
  logger.info({ signal }, 'stopping')
  await served.close()
  logger.info('stopped')
}

async function serveHere(config: Config, logger: Logger) {
  // Imported late: other commands start faster without the HTTP server.
  const { openApi, serveMetrics } = await import('./serve.js')
  return serveMetrics(config, await openApi(config, { logger }))
}

async function serveAside(config: Config, logger: Logger) {
  const { startApiProcesses } = await import('./api-primary.js')
  return startApiProcesses(config, { clock: systemClock, logger })
}

async function runWork(): Promise<void> {
  const { config, url, logger } = await prepareService()
  const server = await listenForWork(config)
  const db = new Database(url, logLostConnection(logger))
  const { startWork } = await import('./work.js')
  const { openRails } = await import('./open-rails.js')
  const { answerForWork } = await import('./work-health.js')
  const rails = await openRails({ config, db, clock: systemClock, logger })
  const vatTimer = await keepVatRates({ db, logger })
  const work = startWork({
    command: 'work',
    db,
    seal: createSeal(config.secret, config.otherSecrets),
    clock: systemClock,
    logger,
    rails,
    allowsLoopbackWebhooks: config.allowsLoopbackWebhooks,
    requestLogDays: config.requestLogDays,
    eventDays: config.eventDays,
    retention: config.retention,
    naira: config.naira,
    rates: config.rates,
    mail: config.mail,
    consoleUrl: config.consoleUrl ?? config.publicUrl,
  })
  answerForWork(server, { db, clock: systemClock, work })
  logger.info({ health: loopbackUrl(server) }, 'working')
  const signal = await waitForSignal()
  forceExitLater()
  logger.info({ signal }, 'stopping')
  await work.stop()
  clearInterval(vatTimer)
  closeLoopback(server)
  await rails.close()
  await db.close()
  logger.info('stopped')
}

/** Unreferenced, so that the server does not keep a failed process alive. */
async function listenForWork({ port, metricsHost, workPort }: Config): Promise<Server> {
  const defaultPort = port === 0 ? 0 : port + 1_001
  try {
    const server = await listenOnLoopback(
      { host: metricsHost, port: workPort, defaultPort },
      answerWhileStarting,
    )
    return server.unref()
  } catch (error) {
    throw explainListenError(error, 'WORK_PORT')
  }
}

const answerWhileStarting: RequestListener = ({ url }, response) => {
  response.writeHead(url === '/healthz' ? 200 : 503).end()
}

async function prepareService() {
  const config = readServiceConfig()
  const url = config.databaseUrl.reveal()
  const applied = await prepareDatabase(url, config)
  return { config, url, logger: createLoggerOf(config), applied }
}

/** Requires DATABASE_URL: the embedded database belongs to one process. */
function readServiceConfig(): Config & { databaseUrl: Secret } {
  const config = hasDatabaseUrl() ? readConfig() : undefined
  if (!config?.databaseUrl)
    throw new Error(
      'Set DATABASE_URL and MANILLA_SECRET. To run everything in one process, use `npm start`.',
    )
  return { ...config, databaseUrl: config.databaseUrl }
}

function createLoggerOf({ logLevel, logFormat }: Config): Logger {
  return createLogger(logLevel, undefined, logFormat)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
