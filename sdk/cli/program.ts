import { Command, CommanderError } from 'commander'
import { registerBatches } from './batches.js'
import { describeFailure, exitCodeOf, exitCodes, toJson } from './failure.js'
import { registerListen } from './listen.js'
import { registerLogin } from './login.js'
import { registerMcp } from './mcp/register.js'
import { registerPay } from './pay.js'
import { registerResend } from './resend.js'
import { registerResources } from './resource-commands.js'
import { withoutControls } from './style.js'
import { registerLogs } from './tail-logs.js'
import type { Terminal } from './terminal.js'
import { registerTrigger } from './trigger.js'

/** The program with every command that calls the API. */
export function createProgram(terminal: Terminal, version: string, words: string[]): Command {
  const isJson = words.includes('--json')
  const program = new Command('manilla')
    .description('Collect naira and stablecoins, pay out to banks and wallets.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) =>
        write(isJson ? toJson(new Error(text.trim())) : withoutControls(text, '\n')),
    })
    .configureHelp({ helpWidth: Math.min(terminal.columns, 120) })
  program.commandsGroup('Try things out:')
  registerListen(program, terminal)
  registerTrigger(program, terminal)
  registerPay(program, terminal)
  registerLogs(program, terminal)
  registerLogin(program, terminal)
  registerMcp(program, terminal, version)
  registerResources(program, terminal)
  registerResend(program, terminal)
  registerBatches(program, terminal)
  return program
}

/** Runs a command line and returns the exit code. */
export async function runProgram(
  program: Command,
  terminal: Terminal,
  words: string[],
): Promise<number> {
  const isJson = words.includes('--json')
  let flags: string[] = []
  program.hook('preAction', (_, command) => {
    flags = command.options.map(({ long }) => long ?? '')
  })
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOfCommander(error)
    const isDebugging = Boolean(terminal.env.DEBUG)
    terminal.note(isJson ? toJson(error) : describeFailure(error, { flags, isDebugging }))
    return exitCodeOf(error)
  }
}

/** `--help` exits with 0, an unknown command with 2. */
function exitCodeOfCommander({ code, exitCode }: CommanderError): number {
  return code === 'commander.error' || exitCode === 0 ? exitCode : exitCodes.misused
}
