#!/usr/bin/env node
import { buildOrExit } from './build-when-needed.mjs'

await buildOrExit()
await import('../dist/processes/main.js')
