/**
 * npm run proof:mutations -- [--only name,name] [--minutes 4] [--continue]
 *
 * Breaks money code on purpose, one rule at a time, in a copy of the repository, and shows which
 * proof notices. Before, the proofs run without a breakage and must pass. Each has some minutes for
 * a breakage. Writes bench/results/proof-mutations.json after each, and exits 1 if one is missed.
 * With --continue, breakages that the file has, with the same edits, are not made again.
 */
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

// It runs for an hour or more, beside other work.
setPriority(10)
const program = fileURLToPath(new URL('run-mutations.ts', import.meta.url))
const { module } = await runnerImport(program, { configFile: false })
if (!(await module.runMutations(process.argv.slice(2)))) process.exitCode = 1
