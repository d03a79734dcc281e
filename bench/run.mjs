/** npm run bench, npm run bench:quick: see README.md. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { readOptions } from './options.mjs'
import { printTable } from './report.mjs'

await buildOrExit()
const { measure } = await import('./measure.mjs')
const result = await measure(readOptions(process.argv.includes('--quick') ? 'quick' : 'full'))

console.log(`\nMedian of ${result.rounds} × ${result.seconds} s, ${result.tookSeconds} s in total`)
printTable(result.rows)
const folder = new URL('./results/', import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL('latest.json', folder), `${JSON.stringify(result, null, 2)}\n`)
console.log(`Written to ${fileURLToPath(new URL('latest.json', folder))}`)
