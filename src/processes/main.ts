import { systemClock } from '../base/clock.js'
import { type Config, findEmptyHome, readConfig } from '../base/config.js'
import { createLogger, type Logger, logLostConnection } from '../base/log.js'
import { createSeal } from '../base/sealed.js'
import { releaseAttempts } from '../payouts/attempts/live-attempts.js'
import { Database } from '../postgres/database.js'
import { type Demo, openDemo } from '../simulation/demo.js'
import { openDemoConsole } from '../simulation/demo-console.js'
import { mintBackings } from '../simulation/test-funding.js'
import { type OpenDatabase, openDatabase } from './open-database.js'
import { type OpenRails, openRails } from './open-rails.js'
import { prepareDatabase } from './prepare-database.js'
import { checkPort, type Served, serve } from './serve.js'
import { forceExitLater, waitForSignal } from './signals.js'
import { welcome } from './welcome.js'
import { startWork, type Work } from './work.js'

// The reader of the output may be gone, as in `npm start | head`. Without this, the process would
// crash and leave the database running.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

/** `npm start`: everything in one process, until Ctrl-C. */
async function main(): Promise<void> {
  const startedAt = systemClock.elapsedMs()
  // Registered first: Ctrl-C during startup must not leave the database running.
  const stopSignal = waitForSignal()
  let isStopping = false
  void stopSignal.then(() => {
    isStopping = true
  })
  const isFirstStart = findEmptyHome() !== undefined
  const config = readConfig()
  if (isFirstStart) await checkPort(config)
  const logger = createLogger(config.logLevel, undefined, config.logFormat)
  const database = await openDatabase(config)
  const opened: Opened = {}
  try {
    for await (const _ of openAll(opened, { config, logger, database, startedAt }))
      if (isStopping) break
    await stopSignal
    print('\nStopping …')
  } finally {
    forceExitLater()
    const { served, work, rails, db } = opened
    await closeAll(logger, [served?.close, work?.stop, rails?.close, db && (() => db.close())])
    await database.close()
  }
  print('Stopped. All data is on disk.')
}

type Opened = { db?: Database; rails?: OpenRails; served?: Served; work?: Work }

type StartDependencies = {
  config: Config
  logger: Logger
  database: OpenDatabase
  startedAt: number
}

/** Yields between its steps, so that a start may be ended there. */
async function* openAll(
  opened: Opened,
  { config, logger, database, startedAt }: StartDependencies,
): AsyncGenerator<void> {
  yield
  const seal = createSeal(config.secret, config.otherSecrets)
  await prepareDatabase(database.url, config)
  yield
  const db = new Database(database.url, logLostConnection(logger))
  opened.db = db
  if (database.isEmbedded) await releaseAttempts(db, systemClock.now())
  const rails = await openRails({ config, db, clock: systemClock, logger, isAlone: true })
  opened.rails = rails
  yield
  let demo: Demo | undefined
  const findDemoKey = () => demo?.test.secretKey
  let isReady = false
  const isSetUp = () => isReady
  const served = await serve(config, database.url, { logger, rails, findDemoKey, isSetUp })
  opened.served = served
  yield
  const { allowsLoopbackWebhooks, requestLogDays, eventDays, naira, rates } = config
  const work = startWork({
    command: 'start',
    db,
    seal,
    clock: systemClock,
    logger,
    rails,
    allowsLoopbackWebhooks,
    requestLogDays,
    eventDays,
    retention: config.retention,
    naira,
    rates,
    mail: config.mail,
    consoleUrl: config.consoleUrl ?? config.publicUrl,
  })
  opened.work = work
  work.addMetrics(served.registry)
  demo = database.isEmbedded
    ? await openDemo(
        { db, seal, home: config.home, now: systemClock.now(), mint: rails.mint },
        { baseUrl: served.url, solanaRpcUrl: rails.localnet?.url },
      )
    : undefined
  yield
  const startUrl = demo && (await openDemoConsole(db, systemClock.now(), demo))
  // Ready includes the demo merchant's coins on the chain.
  if (rails.mint) await mintBackings({ db, mint: rails.mint })
  isReady = true
  print(
    welcome({
      served,
      demo,
      startUrl,
      home: config.home,
      hasTestBank: config.bank.test.collect !== 'none',
      readyMs: systemClock.elapsedMs() - startedAt,
    }),
  )
}

type Close = () => Promise<void>

/** A part that fails to close must not keep the others, and the database, from closing. */
async function closeAll(logger: Logger, closers: (Close | undefined)[]): Promise<void> {
  for (const close of closers)
    await close?.().catch((error: unknown) =>
      logger.error({ err: error }, 'could not close cleanly'),
    )
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  },
)
