import { homedir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { openWatch, type Watch } from './watch.js'

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
  /** A secret: typed without being shown, or piped in. */
  readSecret(question: string): Promise<string>
  /** Shows that something moves, to somebody who waits at a terminal. */
  watch(label: string, steps?: number): Watch
  hasColors: boolean
  /** How wide a table may be. */
  columns: number
  /** Aborted when somebody presses Ctrl-C or ends the process: time to clean up. */
  stop: () => AbortSignal
}

/** The terminal, with the folders of the service that this program belongs to. */
export function openWorld(homes: string[]): World {
  const { env, stdout, stderr } = process
  const stop = new AbortController()
  let isHeard = false
  // Whoever read this has gone, as in `manilla logs tail | head`. What goes on until it is stopped
  // has nobody to go on for; everything else is brought to its end.
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      stop.abort()
    })
  return {
    env,
    homes: env.MANILLA_HOME ? [env.MANILLA_HOME] : homes,
    configFolder: path.join(env.XDG_CONFIG_HOME || path.join(homedir(), '.config'), 'manilla'),
    print: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    readSecret,
    watch: openWatch,
    // Node knows NO_COLOR and what the terminal can do.
    hasColors: Boolean(stdout.isTTY && stdout.hasColors()),
    columns: stdout.columns || 120,
    stop: () => {
      if (!isHeard)
        for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
          process.once(name, () => stop.abort())
      isHeard = true
      return stop.signal
    },
  }
}

function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return text(stdin)
  stderr.write(question)
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: stdin, output: silence, terminal: true })
  return new Promise((resolve) => {
    const end = (answer: string) => {
      reader.close()
      stderr.write('\n')
      resolve(answer)
    }
    reader.question('', end)
    reader.once('SIGINT', () => end(''))
  })
}
