import { configureGlobal } from 'fast-check'
import { vi } from 'vitest'
import { seedOf } from './seed.js'

/**
 * One process runs many test files, for packages take longer to load than most files take to run.
 * Our own modules are evaluated anew for each file: what one remembers is not known to the next.
 */
vi.resetModules()

// Properties print their seed when they fail.
configureGlobal({ seed: seedOf('properties') })
