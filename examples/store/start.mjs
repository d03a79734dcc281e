import { buildOrExit } from '../../bin/build-when-needed.mjs'

// Only inside this repository, where `manilla` is its own build. Yours comes from npm: run
// server.mjs itself.
await buildOrExit()
await import('./server.mjs')
