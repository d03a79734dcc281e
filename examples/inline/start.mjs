import { buildOrExit } from '../../bin/build-when-needed.mjs'

// Only inside this repository, where `manilla` is the local build. Yours comes from npm: run
// server.mjs itself.
await buildOrExit()
await import('./server.mjs')
