/**
 * npm run proof:docs: publishes the last runs of the proofs. Copies what is in results/ to proof.json,
 * next to what was published before, and writes docs/operating/proof.md from it.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
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

/** Every group of paths has a file. Groups that were not run since keep what was published. */
function readMatrix() {
  const folder = new URL('matrix/', results)
  if (!existsSync(folder)) return undefined
  const groups = readdirSync(folder).map((file) => readGroup(new URL(file, folder)))
  const isNew = (name) => groups.some((group) => group.name === name)
  const kept = (published.matrix?.groups ?? []).filter(({ name }) => !isNew(name))
  return { groups: [...kept, ...groups].toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
}

function readGroup(file) {
  const countOf = (cases, isCounted) => cases.filter(isCounted).length
  return {
    name: path.basename(fileURLToPath(file), '.json'),
    measuredAt: statSync(file).mtime.toISOString(),
    paths: readJson(file).map(({ path: name, failpoints, cases }) => ({
      name,
      failpoints: failpoints.length,
      cases: cases.length,
      violations: countOf(cases, ({ violations }) => violations.length > 0),
      unreached: countOf(cases, ({ hasFired }) => !hasFired),
      besideOthers: countOf(cases, ({ besideRows }) => besideRows > 0),
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
