/**
 * npm run proof:mutations -- [--only name,name] [--minutes 4] [--unchecked]
 *
 * Breaks money code on purpose, one rule at a time, in a copy of the repository, and shows which
 * proof notices. Writes bench/results/proof-mutations.json. Exits 1 if a breakage is missed. Each
 * proof has some minutes for a breakage. With --unchecked it does not run first without one.
 */
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

// It runs for an hour or more, beside other work.
setPriority(10)
const program = fileURLToPath(new URL('run-mutations.ts', import.meta.url))
const { module } = await runnerImport(program, { configFile: false })
if (!(await module.runMutations(process.argv.slice(2)))) process.exitCode = 1
