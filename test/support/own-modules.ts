import path from 'node:path'
import { configureGlobal } from 'fast-check'
import { seedOf } from './seed.js'

type Module = { promise?: unknown; exports?: unknown; evaluated: boolean; importers: Set<string> }
type Worker = { evaluatedModules: { idToModuleMap: Map<string, Module> } }

const tests = `${path.resolve(import.meta.dirname, '..')}/`
/** Compiles the schemas of openapi.json, and keeps nothing else. */
const conformance = path.join(tests, 'support/conformance.ts')

/**
 * One process runs many test files, because loading modules takes longer than running most files.
 * Modules under src/ are evaluated once: they keep caches, but no state that a test could observe.
 * Modules under test/ register hooks and keep counters, so each file evaluates them again. This is
 * `vi.resetModules` for one folder; Vitest has no public function for that.
 */
function resetTestModules(): void {
  const { __vitest_worker__: worker } = globalThis as unknown as { __vitest_worker__: Worker }
  for (const [id, module] of worker.evaluatedModules.idToModuleMap) {
    if (!id.startsWith(tests) || id === conformance) continue
    module.promise = undefined
    module.exports = undefined
    module.evaluated = false
    module.importers.clear()
  }
}

resetTestModules()

// Properties print their seed when they fail.
configureGlobal({ seed: seedOf('properties') })
