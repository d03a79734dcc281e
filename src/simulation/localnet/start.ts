import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FaultRule } from './faults.js'
import { localnetLimits } from './limits.js'

export type { Fault, FaultRule, Match } from './faults.js'

export type LocalnetOptions = {
  /** Where the chain is kept; a new one begins in an empty folder. */
  folder: string
  /** A block every so often; with 0, only when `localnet_advance` asks for one. */
  slotMs: number
  /** For JSON-RPC; the next one is for WebSocket. Without it, a free pair is found. */
  port?: number
  /** Faults of every node for as long as the process runs: magic destinations. */
  rules?: FaultRule[]
}

export type Localnet = {
  url: string
  wsUrl: string
  pid: number
  genesisHash: string
  /** Resolves when the process has ended, for whatever reason. */
  ended: Promise<void>
  stop(): Promise<void>
  /** At once, as a crash would. What was answered is still there at the next start. */
  kill(): Promise<void>
}

type Ready = { url: string; wsUrl: string; genesisHash: string }

/**
 * Starts the embedded chain in a process of its own, and resolves when it answers. It ends with
 * this process, whatever becomes of it; starting it again is the caller's business.
 */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const { folder, slotMs, port = 0, rules = [] } = options
  const program = fileURLToPath(new URL('./process.js', import.meta.url))
  const words = ['--folder', folder, '--slot-ms', `${slotMs}`, '--port', `${port}`]
  const child = fork(program, [...words, '--rules', JSON.stringify(rules)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // Not `once`, which rejects when the child cannot be started: of that, `waitUntilReady` tells.
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
      reject(new Error(`the embedded chain did not start: ${why}`))
    }
    const timer = setTimeout(() => fail('it took too long'), localnetLimits.readyWithinMs)
    const onExit = (code: number | null) => fail(`its process ended with ${code}`)
    child.once('exit', onExit)
    child.once('error', (error) => fail(error.message))
    child.once('message', (ready) => {
      clearTimeout(timer)
      child.off('exit', onExit)
      resolve(ready as Ready)
    })
  })
}
