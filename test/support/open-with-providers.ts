import { randomBytes } from 'node:crypto'
import type { Emulator } from '../../emulators/emulator.js'
import { openEmulator, variablesFor } from '../../emulators/open-emulator.js'
import { type Provider, providers, readConfig } from '../../src/base/config.js'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { type ConfirmTools, confirmDueHints } from '../../src/collections/notices/confirm-hints.js'
import { createJudgingLane, createNoticeLane } from '../../src/collections/notices/notice-lanes.js'
import { Rails } from '../../src/collections/rails.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { openProviders } from '../../src/processes/open-banks.js'
import { createEmulatedPayers } from '../../src/simulation/emulated-payers.js'
import { manualClock } from './clock.js'
import { freshDatabase } from './database.js'
import { type Mutate, type MutatingProxy, openMutatingProxy } from './mutating-proxy.js'
import { openManilla, whenDone } from './open-manilla.js'

const settings = { DATABASE_URL: 'postgres://nobody', MANILLA_SECRET: 's'.repeat(32) }

/**
 * A service whose test mode has every provider, each with an emulator of its own. `chosen` is the
 * bank of the configuration. Notices arrive over HTTP; the test runs the workers.
 */
export async function openWithProviders(chosen: Provider) {
  const db = await freshDatabase()
  const clock = manualClock()
  const opened = await Promise.all(
    providers.map((provider) => openEmulator(provider, { clock, speed: 10_000 })),
  )
  whenDone(() => Promise.all(opened.map((emulator) => emulator.close())))
  const proxies = new Map<string, MutatingProxy>()
  const variables = await Promise.all(
    opened.map(async (emulator) => {
      const proxy = await openMutatingProxy(emulator.url)
      proxies.set(emulator.provider, proxy)
      const ofEmulator = Object.entries(variablesFor(emulator, 'TEST'))
      return Object.fromEntries(
        ofEmulator.map(([name, value]) => [name, value === emulator.url ? proxy.url : value]),
      )
    }),
  )
  const config = readConfig(Object.assign({ ...settings }, ...variables))
  const lines: string[] = []
  const logger = createLogger('debug', { write: (line) => lines.push(line) })
  const banks = openProviders({ config, db, clock, logger }, 'test')
  const bankOf = (provider: Provider) => banks.find((bank) => bank.provider === provider)!
  const emulators = Object.fromEntries(
    opened.map((emulator) => [emulator.provider, emulator]),
  ) as Record<Provider, Emulator>
  const bank = bankOf(chosen)
  const service = await openManilla({
    beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
    rails: new Rails({ test: { payoutBank: bank, collectBank: bank, banks } }),
    sandboxPayers: createEmulatedPayers(emulators[chosen]),
  })
  const noticesPathOf = (provider: Provider) => `/rails/${provider}/notices/test`
  for (const emulator of opened)
    emulator.sendNoticesTo(service.url + noticesPathOf(emulator.provider))
  const laneTools = {
    connect: () => connect(db.url, 'test payments'),
    clock,
    rails: new Map(banks.map((one) => [one.name, one])),
  }
  const [notices, judging] = [createNoticeLane(laneTools), createJudgingLane(laneTools)]
  whenDone(() => Promise.all([notices.close(), judging.close()]))

  /** Runs the workers of a bank once. Returns how many hints were due. */
  async function work(provider = chosen): Promise<number> {
    const rail = bankOf(provider)
    const tools: ConfirmTools = { db, rail, clock, logger, notices, judging }
    await pollPayouts({ db, rail, clock, logger }, clock.now())
    return confirmDueHints(tools, clock.now())
  }

  const key = service.merchant.test.secret
  const post = (path: string, body: object) => {
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
    return service.ask('POST', path, { key, body, headers })
  }
  const get = (path: string) => service.ask('GET', path, { key })
  /** Changes what a provider answers. */
  const mutate = (provider: Provider, next: Mutate | undefined) =>
    proxies.get(provider)!.mutateWith(next)
  return { ...service, mutate, lines, bank, bankOf, emulators, noticesPathOf, work, post, get }
}
