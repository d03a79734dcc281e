import { Command, CommanderError } from 'commander'
import { describeFailure, exitCodeOf, exitCodes, toJson } from './failure.js'
import { registerListen } from './listen.js'
import { registerLogin } from './login.js'
import { registerPay } from './pay.js'
import { registerResend } from './resend.js'
import { registerResources } from './resource-commands.js'
import { withoutControls } from './show.js'
import { registerLogs } from './tail-logs.js'
import { registerTrigger } from './trigger.js'
import type { World } from './world.js'

/** The program with the commands that ask a service over its API. */
export function createProgram(world: World, version: string, words: string[]): Command {
  const isJson = words.includes('--json')
  const program = new Command('manilla')
    .description('Collect naira and stablecoins, pay out to banks and wallets.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.print(text.trimEnd()),
      writeErr: (text) => world.note(text.trimEnd()),
      outputError: (text, write) =>
        write(isJson ? toJson(new Error(text.trim())) : withoutControls(text, '\n')),
    })
    .configureHelp({ helpWidth: Math.min(world.columns, 120) })
  program.commandsGroup('Try things out:')
  registerListen(program, world)
  registerTrigger(program, world)
  registerPay(program, world)
  registerLogs(program, world)
  registerLogin(program, world)
  registerResources(program, world)
  registerResend(program, world)
  return program
}

/** Runs the words of a command line and says how the process should end. */
export async function runProgram(program: Command, world: World, words: string[]): Promise<number> {
  const isJson = words.includes('--json')
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOfCommander(error)
    world.note(isJson ? toJson(error) : describeFailure(error, Boolean(world.env.DEBUG)))
    return exitCodeOf(error)
  }
}

/** Help that was asked for is no failure; a command that is not known is the caller's. */
function exitCodeOfCommander({ code, exitCode }: CommanderError): number {
  return code === 'commander.error' || exitCode === 0 ? exitCode : exitCodes.misused
}
