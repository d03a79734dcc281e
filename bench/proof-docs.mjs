/**
 * npm run proof:docs: publishes the last runs of the proofs. Copies what is in results/ to proof.json,
 * next to what was published before, and writes docs/operating/proof.md from it.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { renderProof } from './render-proof.mjs'

const results = new URL('results/', import.meta.url)
const publishedFile = new URL('proof.json', import.meta.url)
const published = readJson(publishedFile) ?? {}

const latest = {
  matrix: readMatrix(),
  simulation: readJson(new URL('proof-simulate.json', results)),
  mutations: readJson(new URL('proof-mutations.json', results)),
  kills: readJson(new URL('proof-kills.json', results)),
  soak: withoutSamples(readJson(new URL('proof-soak.json', results))),
  rows: readJson(new URL('proof-rows.json', results)),
}
for (const [name, result] of Object.entries(latest)) if (result) published[name] = result

writeFileSync(publishedFile, `${JSON.stringify(published, null, 2)}\n`)
writeFileSync(new URL('../docs/operating/proof.md', import.meta.url), renderProof(published))
console.log('Written: bench/proof.json and docs/operating/proof.md')

/** Every group of paths has a file. */
function readMatrix() {
  const folder = new URL('matrix/', results)
  if (!existsSync(folder)) return undefined
  const files = readdirSync(folder).map((name) => new URL(name, folder))
  const paths = files.flatMap((file) => readJson(file))
  const cases = paths.flatMap((path) => path.cases)
  const faults = [...new Set(cases.map(({ fault }) => fault))]
  const lastAt = Math.max(...files.map((file) => statSync(file).mtimeMs))
  return {
    measuredAt: new Date(lastAt).toISOString(),
    faults: faults.map((name) => {
      const withFault = cases.filter(({ fault }) => fault === name)
      const besideOthers = withFault.filter(({ besideRows }) => besideRows > 0)
      return { name, cases: withFault.length, besideOthers: besideOthers.length }
    }),
    paths: paths.map(({ path, failpoints, cases }) => ({
      name: path,
      failpoints: failpoints.length,
      cases: cases.length,
      violations: cases.filter(({ violations }) => violations.length > 0).length,
      unreached: cases.filter(({ hasFired }) => !hasFired).length,
    })),
  }
}

/** One line per five seconds: too much to keep. */
function withoutSamples(soak) {
  if (!soak) return undefined
  const rates = soak.rates.map(({ samples, rows, ...rate }) => rate)
  return { ...soak, rates }
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
