#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { createProgram, runProgram } from './program.js'
import { openTerminal } from './terminal.js'

// The program of the npm package: every command that calls the API.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
const { version } = JSON.parse(manifest) as { version: string }
const terminal = openTerminal(['.manilla'])
const words = process.argv.slice(2)
process.exitCode = await runProgram(createProgram(terminal, version, words), terminal, words)
