import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FaultRule } from './faults.js'
import { localnetLimits } from './limits.js'

export type { Fault, FaultRule } from './faults.js'

export type LocalnetOptions = {
  /** Storage of the chain; an empty folder gets a new one. */
  folder: string
  /** Time between blocks; with 0, only `localnet_advance` makes blocks. */
  slotMs: number
  /** JSON-RPC port; the next one is for WebSocket. By default a free pair. */
  port?: number
  /** Permanent faults of every node, such as those of magic wallets. */
  rules?: FaultRule[]
}

export type Localnet = {
  url: string
  wsUrl: string
  pid: number
  genesisHash: string
  /** Resolves when the process has ended. */
  ended: Promise<void>
  stop(): Promise<void>
  /** Kills the process like a crash. Acknowledged transactions survive. */
  kill(): Promise<void>
}

type Ready = { url: string; wsUrl: string; genesisHash: string }

/**
 * Starts the localnet in a separate process and resolves when it accepts requests. It ends with
 * this process; restarting it is up to the caller.
 */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const { folder, slotMs, port = 0, rules = [] } = options
  const program = fileURLToPath(new URL('./process.js', import.meta.url))
  const args = ['--folder', folder, '--slot-ms', `${slotMs}`, '--port', `${port}`]
  const child = fork(program, [...args, '--rules', JSON.stringify(rules)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // Not `events.once`, which would reject if the child cannot start: `waitUntilReady` reports that.
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const ready = await waitUntilReady(child)
  return {
    ...ready,
    pid: child.pid!,
    ended,
    async stop() {
      const cut = setTimeout(() => child.kill('SIGKILL'), localnetLimits.stopWithinMs)
      if (child.connected) child.disconnect()
      await ended
      clearTimeout(cut)
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function waitUntilReady(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`the localnet did not start: ${why}`))
    }
    const timer = setTimeout(() => fail('timeout'), localnetLimits.readyWithinMs)
    const onExit = (code: number | null) => fail(`the process ended with code ${code}`)
    child.once('exit', onExit)
    child.once('error', (error) => fail(error.message))
    child.once('message', (ready) => {
      clearTimeout(timer)
      child.off('exit', onExit)
      resolve(ready as Ready)
    })
  })
}
