import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createConsole } from '../dist/sdk/cli/console.js'
import { createProgram, runProgram } from '../dist/sdk/cli/program.js'
import { openTerminal } from '../dist/sdk/cli/terminal.js'

/** The command line on dist/ as it is. `manilla.mjs` builds it first. */

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const words = process.argv.slice(2)
const terminal = openTerminal([fileURLToPath(new URL('../.manilla', import.meta.url))])
const program = createProgram(terminal, version, words)
// Operator commands load the database driver; API commands start faster without it.
const group = program.commands.find((command) => command.name() === words[0])
const asksApi = group?.commands.some((command) => command.name() === words[1])
if (!asksApi && (!group || group.commands.length > 0)) {
  const { registerOperator } = await import('../dist/processes/cli.js')
  registerOperator(program, createConsole(terminal))
}
const exitCode = await runProgram(program, terminal, words)
// The command has printed its own error.
process.exitCode ||= exitCode
