import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readUnit } from './shipped-files.mjs'
import { waitUntil } from './wait-until.mjs'

const readyMs = 60_000
const ownRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/**
 * Processes of a build, of this one unless `root` names another, as the shipped systemd units start them: `serve` and `work`, each
 * restarted when it ends. A process that ends by itself is a finding, also when it is restarted.
 */
export class ManillaProcesses {
  urls = []
  /** Processes that ended by themselves after they were ready. */
  deaths = []
  #site
  #env
  #root
  #name
  #isStopping = false
  #running = new Map()

  constructor(site, { databaseUrl, chain, secret = newSecret(), root = ownRoot, name = '' }) {
    this.#site = site
    this.#root = root
    this.#name = name
    this.secret = secret
    this.#env = {
      DATABASE_URL: databaseUrl,
      MANILLA_SECRET: secret,
      WEBHOOKS_ALLOW_LOOPBACK: 'true',
      RATE_LIMIT_PER_SECOND: '0',
      ...chain.env,
    }
  }

  async start({ apis, workers }) {
    // Otherwise all processes race to migrate, which works, but is not what the drill is about.
    await this.run('migrate')
    for (let number = 1; number <= apis; number += 1) {
      const [port, metricsPort] = [await this.#site.takePort(), await this.#site.takePort()]
      const env = { PORT: `${port}`, METRICS_PORT: `${metricsPort}` }
      this.urls.push(`http://127.0.0.1:${port}`)
      this.#keepRunning(`${this.#name}serve-${number}`, 'manilla-serve.service', env)
    }
    for (let number = 1; number <= workers; number += 1)
      this.#keepRunning(`${this.#name}work-${number}`, 'manilla-work.service', {})
    for (const url of this.urls)
      await waitUntil(`${url} is ready`, readyMs, async () => (await fetch(`${url}/readyz`)).ok)
  }

  /** Ends every process as systemd would: SIGTERM, and time to finish. */
  async stop() {
    this.#isStopping = true
    for (const { signal } of this.#running.values()) signal('SIGTERM')
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  /** Runs an operator command and returns what it prints; throws when it fails. */
  async run(...words) {
    const { code, out, err } = await this.check(...words)
    if (code !== 0)
      throw new Error(`manilla ${words.join(' ')} failed with ${code}:\n${err || out}`)
    return out
  }

  /** Like `run`; returns the exit code instead of throwing. */
  check(...words) {
    const command = [process.execPath, `${this.#root}/bin/manilla.mjs`, ...words]
    return this.#site.run(command, { env: this.#env })
  }

  async #keepRunning(name, unitName, env) {
    const {
      command,
      env: unitEnv,
      restartMs,
    } = readUnit(unitName, [
      ['/usr/bin/node', process.execPath],
      ['/opt/manilla', this.#root],
    ])
    const options = { env: { ...unitEnv, ...this.#env, ...env } }
    while (!this.#isStopping && !this.#site.isClosing) {
      const started = this.#site.start(name, command, options)
      this.#running.set(name, started)
      const code = await started.ended
      if (this.#isStopping || this.#site.isClosing) return
      const log = started.readLog()
      // A start without a database fails; the unit starts the process again.
      if (wasReady(log)) this.deaths.push({ name, code, at: new Date(), why: findReason(log) })
      await sleep(restartMs)
    }
  }

  /** Lines of level `error` and above in the logs of all processes. */
  readErrors() {
    return [...this.#running.keys()].flatMap((name) =>
      [...this.#site.readLog(name).matchAll(/^\{"level":[56]0.*$/gm)].map(
        ([line]) => `${name}: ${line}`,
      ),
    )
  }
}

function newSecret() {
  return randomBytes(32).toString('hex')
}

function wasReady(log) {
  return /"msg":"(serving|working)"/.test(log)
}

/** The error that Node.js printed before it ended the process. */
function findReason(log) {
  return log.match(/^(?:\w*Error|error): .*$/m)?.[0] ?? log.trimEnd().split('\n').at(-1)
}
