import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createProgram, runProgram } from '../../sdk/cli/program.js'
import type { Terminal } from '../../sdk/cli/terminal.js'

export type CommandResult = { code: number; out: string; err: string }

/** A terminal with its own config folder; commands run as the program runs them. */
export function openTerminal(
  env: Record<string, string>,
  given: {
    homes?: string[]
    input?: string
    configFolder?: string
    answer?: string | undefined
    columns?: number
  } = {},
) {
  const { homes = [], input = '' } = given
  const configFolder = given.configFolder ?? mkdtempSync(path.join(tmpdir(), 'manilla-config-'))

  /** Starts a command that runs until stopped; `result` collects its output. */
  function start(...words: string[]) {
    const result: CommandResult = { code: -1, out: '', err: '' }
    const stop = new AbortController()
    const progress: string[] = []
    const terminal: Terminal = {
      env,
      homes,
      configFolder,
      hasColors: false,
      columns: given.columns ?? 120,
      readSecret: async () => input,
      canAsk: given.answer !== undefined,
      ask: async (question) => {
        result.err += `${question}\n`
        return given.answer ?? ''
      },
      startProgress: (label) => {
        progress.push(label)
        return { step() {}, end() {} }
      },
      print: (text) => {
        result.out += `${text}\n`
      },
      write: async (text) => {
        result.out += text
        return true
      },
      note: (text) => {
        result.err += `${text}\n`
      },
      stop: () => stop.signal,
    }
    const ended = runProgram(createProgram(terminal, '0.0.0', words), terminal, words).then(
      (code) => {
        result.code = code
        return result
      },
    )
    return {
      result,
      /** The labels of its progress bars. */
      progress,
      ended,
      stop: () => {
        stop.abort()
        return ended
      },
    }
  }

  return {
    env,
    configFolder,
    start,
    run: (...words: string[]) => start(...words).ended,
    /** The JSON output of a command that must succeed. */
    async ask(...words: string[]) {
      const { code, out, err } = await start(...words, '--json').ended
      if (code !== 0) throw new Error(`manilla ${words.join(' ')}: ${err}`)
      return JSON.parse(out)
    },
    close: () => rmSync(configFolder, { recursive: true, force: true }),
  }
}
