/**
 * npm run bench:docs: publishes the last full run. Copies results/latest.json, with the last soak
 * and the last pinned run, to published.json and writes the tables and the chart of
 * docs/operating/performance.md from it. `--before <commit>` keeps the run as before.json instead,
 * for later runs to be compared with.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { renderChart, renderPage } from './render.mjs'

const resultsFolder = new URL('results/', import.meta.url)
const publishedFile = new URL('published.json', import.meta.url)
const beforeFile = new URL('before.json', import.meta.url)
const docs = new URL('../docs/operating/', import.meta.url)
const [option, commit] = process.argv.slice(2)

const latest = readResults()
if (option === '--before') writeJson(beforeFile, { commit, ...latest })
else if (latest) writeJson(publishedFile, latest)
const published = readJson(publishedFile)
writeFileSync(new URL('performance.md', docs), renderPage(published, readJson(beforeFile)))
writeFileSync(new URL('performance.svg', docs), renderChart(published))
console.log('Written: docs/operating/performance.md and performance.svg')

/** Undefined if nothing was measured here: the page is rendered from what is published. */
function readResults() {
  const latest = readResult('latest.json')
  if (!latest) return undefined
  if (latest.preset !== 'full' || !latest.isComplete)
    throw new Error('bench/results/latest.json is not of a full run: run `npm run bench` first')
  const soak = readResult('soak.json')
  const pinned = readResult('pinned.json')
  return {
    ...latest,
    ...(soak && { soak: summarizeSoak(soak) }),
    ...(pinned && { pinned }),
  }
}

function readResult(name) {
  const file = new URL(name, resultsFolder)
  return existsSync(file) ? readJson(file) : undefined
}

/** Without the minutes and samples behind the medians. */
function summarizeSoak({ minutes, rates }) {
  return { minutes, rates: rates.map(({ rows, samples, ...medians }) => medians) }
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}
