import { homedir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'

/** What the commands need of the world around them. */
export type World = {
  env: Record<string, string | undefined>
  /** Folders in which a service of this machine keeps its demo.json; the first that has one. */
  homes: string[]
  /** Where logins are kept. */
  configFolder: string
  /** The answer. */
  print(text: string): void
  /** What is for people beside the answer: machines read on without it. */
  note(text: string): void
  /** All that is piped in. */
  readInput(): Promise<string>
  /** Whether somebody sits there who can be asked and shown that something moves. */
  isInteractive: boolean
  hasColors: boolean
  /** How wide a table may be. */
  columns: number
  /** Aborted when somebody presses Ctrl-C or ends the process: time to clean up. */
  stop: () => AbortSignal
}

/** The terminal, with the folders of the service that this program belongs to. */
export function openWorld(homes: string[]): World {
  const { env, stdout, stderr, stdin } = process
  let stop: AbortSignal | undefined
  return {
    env,
    homes: env.MANILLA_HOME ? [env.MANILLA_HOME] : homes,
    configFolder: path.join(env.XDG_CONFIG_HOME || path.join(homedir(), '.config'), 'manilla'),
    print: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    readInput: () => text(stdin),
    isInteractive: Boolean(stdin.isTTY && stderr.isTTY),
    // Node knows NO_COLOR and what the terminal can do.
    hasColors: Boolean(stdout.isTTY && stdout.hasColors()),
    columns: stdout.columns ?? 120,
    stop: () => {
      stop ??= stopSignal()
      return stop
    },
  }
}

function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => stop.abort())
  return stop.signal
}
