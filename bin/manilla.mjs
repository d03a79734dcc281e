#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildOrExit } from './build-when-needed.mjs'

await buildOrExit()
const { openWorld } = await import('../dist/sdk/cli/world.js')
const { createProgram, runProgram } = await import('../dist/sdk/cli/program.js')

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const words = process.argv.slice(2)
const world = openWorld([fileURLToPath(new URL('../.manilla', import.meta.url))])
const program = createProgram(world, version)
// Those of the operator come with a database driver and more: who asks the API need not wait for
// it. `balances` is a word of both.
const asksApi = program.commands.some((command) => command.name() === words[0])
if (!asksApi || words[0] === 'balances') {
  const { registerOperator } = await import('../dist/cli.js')
  registerOperator(program)
}
const exitCode = await runProgram(program, world, words)
// A command that found something wrong has said so itself.
process.exitCode ||= exitCode
