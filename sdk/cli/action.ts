import type { Command } from 'commander'
import type { Manilla } from '../src/manilla.js'
import { type Access, findAccess, openClient } from './access.js'
import type { World } from './world.js'

/** What a command has to say: `data` for machines, `text` for people. */
export type Answer = { data: unknown; text: string }

export type Run<Options> = {
  world: World
  manilla: Manilla
  access: Access
  args: string[]
  options: Options
  isJson: boolean
}

/** Gives a command that asks the service its work. Every one takes `--json` and `--live`. */
export function setAction<Options = object>(
  command: Command,
  world: World,
  work: (run: Run<Options>) => Promise<Answer | undefined>,
): void {
  command.option('--live', 'use the live key: real money')
  setTestAction(command, world, work)
}

/** The same for what must never happen with a live key: it does not take `--live`. */
export function setTestAction<Options = object>(
  command: Command,
  world: World,
  work: (run: Run<Options>) => Promise<Answer | undefined>,
): void {
  command.option('--json', 'print JSON, for machines')
  command.action(async () => {
    const { json, live, ...options } = command.opts()
    const access = findAccess(world, live ? 'live' : 'test')
    const run = { world, access, manilla: openClient(access), args: command.processedArgs }
    const answer = await work({ ...run, options: options as Options, isJson: json === true })
    if (answer) world.print(json ? JSON.stringify(answer.data) : answer.text)
  })
}
