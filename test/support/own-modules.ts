import { vi } from 'vitest'

/**
 * One process runs many test files, for packages take longer to load than most files take to run.
 * Our own modules are evaluated anew for each file: what one remembers is not known to the next.
 */
vi.resetModules()
