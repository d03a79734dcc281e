import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createProgram, runProgram } from '../../sdk/cli/program.js'
import type { World } from '../../sdk/cli/world.js'

export type Said = { code: number; out: string; err: string }

/** Somebody at a terminal with a home of their own; commands run as the program runs them. */
export function openTerminal(
  env: Record<string, string>,
  given: { homes?: string[]; input?: string; configFolder?: string } = {},
) {
  const { homes = [], input = '' } = given
  const configFolder = given.configFolder ?? mkdtempSync(path.join(tmpdir(), 'manilla-config-'))

  /** A command that goes on until it is stopped; `said` fills as it speaks. */
  function start(...words: string[]) {
    const said: Said = { code: -1, out: '', err: '' }
    const stop = new AbortController()
    const world: World = {
      env,
      homes,
      configFolder,
      hasColors: false,
      columns: 120,
      readSecret: async () => input,
      watch: () => ({ step() {}, end() {} }),
      print: (text) => {
        said.out += `${text}\n`
      },
      note: (text) => {
        said.err += `${text}\n`
      },
      stop: () => stop.signal,
    }
    const ended = runProgram(createProgram(world, '0.0.0', words), world, words).then((code) => {
      said.code = code
      return said
    })
    return {
      said,
      ended,
      stop: () => {
        stop.abort()
        return ended
      },
    }
  }

  return {
    configFolder,
    start,
    run: (...words: string[]) => start(...words).ended,
    /** What a machine reads, from a command that must succeed. */
    async ask(...words: string[]) {
      const { code, out, err } = await start(...words, '--json').ended
      if (code !== 0) throw new Error(`manilla ${words.join(' ')}: ${err}`)
      return JSON.parse(out)
    },
    close: () => rmSync(configFolder, { recursive: true, force: true }),
  }
}
