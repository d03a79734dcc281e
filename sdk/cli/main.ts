#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { createProgram, runProgram } from './program.js'
import { openWorld } from './world.js'

// The program as it comes with the SDK: everything that asks a service over its API.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
const { version } = JSON.parse(manifest) as { version: string }
const world = openWorld(['.manilla'])
process.exitCode = await runProgram(createProgram(world, version), world, process.argv.slice(2))
