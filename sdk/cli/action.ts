import type { Command } from 'commander'
import type { Manilla } from '../src/manilla.js'
import { type ApiAccess, findAccess, openClient } from './access.js'
import type { Terminal } from './terminal.js'

/** The result of a command: `data` for `--json`, `text` for people. */
export type Output = { data: unknown; text: string }

export type Run<Options> = {
  terminal: Terminal
  manilla: Manilla
  access: ApiAccess
  args: string[]
  options: Options
  isJson: boolean
  isLive: boolean
}

/** Sets the action of a command that calls the API, with `--json` and `--live`. */
export function setAction<Options = object>(
  command: Command,
  terminal: Terminal,
  work: (run: Run<Options>) => Promise<Output | undefined>,
): void {
  command.option('--live', 'use the live key: real money')
  setTestAction(command, terminal, work)
}

/** For commands that must never run with a live key: without `--live`. */
export function setTestAction<Options = object>(
  command: Command,
  terminal: Terminal,
  work: (run: Run<Options>) => Promise<Output | undefined>,
): void {
  command.option('--json', 'print JSON')
  command.action(async () => {
    const { json, live, ...options } = command.opts()
    const access = findAccess(terminal, live ? 'live' : 'test')
    const output = await work({
      terminal,
      access,
      manilla: openClient(access),
      args: command.processedArgs,
      options: options as Options,
      isJson: json === true,
      isLive: live === true,
    })
    if (output) terminal.print(json ? JSON.stringify(output.data) : output.text)
  })
}
