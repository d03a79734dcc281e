import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { requestRateLimits } from '../api/limits.js'
import { createGrants, SharedStreams } from '../api/server/shared-limits.js'
import { type Clock, minute, pauseAfter } from '../base/clock.js'
import type { Config } from '../base/config.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { connect } from '../postgres/wire/connection.js'
import { apiConnections } from '../postgres/wire/connection-counts.js'
import type { Metric, ToPrimary, ToProcess } from './api-messages.js'
import { ApiMetrics } from './api-metrics.js'
import { closeLoopback, listenForMetrics } from './loopback-server.js'

type Answer = (message: ToPrimary) => ToProcess | undefined

const { restartDelayMs, restartDelayMaxMs, steadyAfterMs, metricsTimeoutMs } = limits.apiProcesses

/**
 * Runs the API in several processes on one port. This process accepts connections and passes them
 * on in turn, counts what the processes share, and replaces a process that ends. It has no
 * connection to the database.
 */
export async function startApiProcesses(
  config: Config,
  { clock, logger }: { clock: Clock; logger: Logger },
) {
  await checkConnections(config, logger)
  const processes = new Map<number, ApiProcess>()
  const stopping = new AbortController()
  const { signal } = stopping
  const shared = createShared(config, clock)
  const metrics = new ApiMetrics()
  // Covers a forced exit, too: no process may stay behind.
  process.on('exit', () => {
    for (const { kill } of processes.values()) kill()
  })

  function start(number: number): ApiProcess {
    const started = fork(number, (message) => shared.answer(number, message))
    processes.set(number, started)
    return started
  }

  async function keepRunning(number: number, first: ApiProcess): Promise<void> {
    let failures = 0
    for (let current = first; ; current = start(number)) {
      const startedAt = clock.elapsedMs()
      current.listening.catch((error: Error) => {
        if (current !== first)
          logger.error({ err: error, process: number }, 'API process did not start')
      })
      const how = await current.ended
      processes.delete(number)
      shared.drop(number)
      metrics.keepCountsOf(current.metrics())
      if (signal.aborted) {
        if (how.code !== 0 && current.isServing())
          logger.warn({ process: number, ...how }, 'API process was cut off')
        return
      }
      logger.error({ process: number, ...how }, 'API process ended unexpectedly; starting another')
      metrics.restarts += 1
      failures = clock.elapsedMs() - startedAt > steadyAfterMs ? 1 : failures + 1
      const bounds = { retryMs: restartDelayMs, retryMaxMs: restartDelayMaxMs }
      const delayMs = pauseAfter(failures - 1, bounds)
      await sleep(delayMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
    }
  }

  const firsts = Array.from({ length: config.apiProcesses }, (_, index) => start(index + 1))
  const running = firsts.map((first, index) => keepRunning(index + 1, first))
  async function stop(): Promise<void> {
    stopping.abort()
    for (const apiProcess of processes.values()) apiProcess.stop()
    await Promise.all(running)
  }

  try {
    const [url] = await Promise.all(firsts.map(({ listening }) => listening))
    const { server, url: metricsUrl } = await listenForMetrics(config, async () =>
      metrics.merge(
        await Promise.all([...processes.values()].map(({ readMetrics }) => readMetrics())),
      ),
    )
    return {
      url: url!,
      metricsUrl,
      async close() {
        await stop()
        closeLoopback(server)
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Idle processes stay below the limit; under load, PostgreSQL would refuse connections. */
async function checkConnections(config: Config, logger: Logger): Promise<void> {
  const client = await connect(config.databaseUrl!.reveal(), 'manilla start')
  const { rows } = await client.query<{ allowed: number }>(
    "select current_setting('max_connections')::int as allowed",
  )
  await client.end()
  const allowed = rows[0]!.allowed
  const needed = config.apiProcesses * apiConnections
  if (needed > allowed)
    logger.warn(
      { allowed, needed, processes: config.apiProcesses },
      'API processes may need more connections than the database allows; lower API_PROCESSES or raise max_connections',
    )
}

/** The limits that all processes share. */
function createShared(config: Config, clock: Clock) {
  const { apiProcesses, rateLimitPerSecond, publicRateLimitPerSecond } = config
  const streams = new SharedStreams()
  const grants = {
    environment: createGrants(rateLimitPerSecond, apiProcesses, clock),
    address: createGrants(publicRateLimitPerSecond, apiProcesses, clock),
    form: createGrants(requestRateLimits.formsPerMinuteMax, apiProcesses, clock, minute),
  }
  return {
    drop: (number: number) => streams.drop(number),
    answer(number: number, message: ToPrimary): ToProcess | undefined {
      if (message.kind === 'release stream') streams.release(number, message.place)
      if (message.kind === 'claim')
        return { kind: 'answer', id: message.id, answer: grants[message.policy](message.name) }
      if (message.kind === 'take stream')
        return { kind: 'answer', id: message.id, answer: streams.take(number, message.place) }
      return undefined
    },
  }
}

type ApiProcess = ReturnType<typeof fork>

function fork(number: number, answer: Answer) {
  const exec = fileURLToPath(new URL('./api-process.js', import.meta.url))
  cluster.setupPrimary({ exec, args: [`${number}`] })
  const worker = cluster.fork()
  const send = (message: ToProcess) => {
    // A process that has just ended does not get the message.
    if (worker.isConnected()) worker.send(message, () => {})
  }
  let isListening = false
  let metrics: Metric[] = []
  let onMetrics = () => {}
  let refreshing: Promise<void> | undefined
  const ended = new Promise<{ endedPid: number | undefined; code: number; signal: string }>(
    (resolve) => {
      worker.once('exit', (code, signal) => resolve({ endedPid: worker.process.pid, code, signal }))
    },
  )
  const listening = new Promise<string>((resolve, reject) => {
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'listening') {
        isListening = true
        resolve(message.url)
      }
      if (message.kind === 'failed') reject(new Error(message.message))
      if (message.kind === 'metrics') {
        metrics = message.metrics
        onMetrics()
      }
      const reply = answer(message)
      if (reply) send(reply)
    })
    ended.then(() => reject(new Error(`API process ${number} ended while it started.`)))
  })
  async function refreshMetrics(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      onMetrics = resolve
    })
    send({ kind: 'read metrics' })
    await Promise.race([answered, ended, sleep(metricsTimeoutMs, undefined, { ref: false })])
    refreshing = undefined
  }

  const kill = () => worker.process.kill('SIGKILL')
  return {
    listening,
    ended,
    kill,
    /** A process that does not serve yet may not read messages. */
    stop: () => (isListening ? send({ kind: 'stop' }) : kill()),
    isServing: () => isListening,
    /** Metrics of the last scrape. */
    metrics: () => metrics,
    async readMetrics(): Promise<Metric[]> {
      if (!isListening) return []
      refreshing ??= refreshMetrics()
      await refreshing
      return metrics
    },
  }
}
