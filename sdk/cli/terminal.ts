import { homedir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Progress, startProgress } from './progress.js'

/** The process's terminal, environment and folders, as commands use them. */
export type Terminal = {
  env: Record<string, string | undefined>
  /** Folders where a local service may keep its demo.json; the first match is used. */
  homes: string[]
  /** Holds saved logins. */
  configFolder: string
  /** Writes the result to stdout. */
  print(text: string): void
  /** Writes a part of a long result, and waits until it is taken. False: the reader has left. */
  write(content: string | Uint8Array): Promise<boolean>
  /** Writes remarks for people to stderr, so that piped output stays clean. */
  note(text: string): void
  /** Reads a secret without echoing it, or from a pipe. */
  readSecret(question: string): Promise<string>
  /** Whether a person can answer: stdin and stderr are terminals. */
  canAsk: boolean
  /** Asks a question on stderr; empty for Ctrl-C and Ctrl-D. */
  ask(question: string): Promise<string>
  /** Shows progress, if stderr is a terminal. */
  startProgress(label: string, steps?: number): Progress
  hasColors: boolean
  /** Maximum width of tables. */
  columns: number
  /** Aborted by Ctrl-C or a signal, so that commands can clean up. */
  stop: () => AbortSignal
}

export function openTerminal(homes: string[]): Terminal {
  const { env, stdout, stderr } = process
  const stop = new AbortController()
  let isListening = false
  // The reader closed the pipe, as in `manilla logs tail | head`. Commands that run until stopped
  // must end; the others finish.
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
    write: (content) =>
      new Promise((resolve, reject) => {
        stdout.write(content, (error?: NodeJS.ErrnoException | null) => {
          if (error && error.code !== 'EPIPE') reject(error)
          else resolve(!error)
        })
      }),
    note: (line) => void stderr.write(`${line}\n`),
    readSecret,
    canAsk: Boolean(process.stdin.isTTY && stderr.isTTY),
    ask,
    startProgress,
    // hasColors() honours NO_COLOR.
    hasColors: Boolean(stdout.isTTY && stdout.hasColors()),
    columns: tableWidth(stdout.columns, env.COLUMNS),
    stop: () => {
      if (!isListening)
        for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
          process.once(name, () => stop.abort())
      isListening = true
      return stop.signal
    },
  }
}

/** The width of the terminal; without one COLUMNS, if set. */
export function tableWidth(terminal: number | undefined, text = ''): number {
  return terminal || (/^[1-9]\d{0,4}$/.test(text) ? Number(text) : 120)
}

function ask(question: string): Promise<string> {
  const { stdin, stderr } = process
  const reader = createInterface({ input: stdin, output: stderr })
  return new Promise((resolve) => {
    const giveUp = () => {
      stderr.write('\n')
      resolve('')
    }
    reader.once('close', giveUp)
    reader.once('SIGINT', () => reader.close())
    reader.question(question, (answer) => {
      resolve(answer)
      reader.off('close', giveUp)
      reader.close()
    })
  })
}

function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return text(stdin)
  stderr.write(question)
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: stdin, output: discard, terminal: true })
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
