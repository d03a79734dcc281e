/**
 * npm run bench:docs: publishes the last full run. Copies results/latest.json, with the last
 * soak and the last pinned run, to published.json and writes the tables and the chart of docs/operating/performance.md from it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { renderChart, renderPage } from './render.mjs'

const latestFile = new URL('results/latest.json', import.meta.url)
const soakFile = new URL('results/soak.json', import.meta.url)
const pinnedFile = new URL('results/pinned.json', import.meta.url)
const beforeFile = new URL('before.json', import.meta.url)
const publishedFile = new URL('published.json', import.meta.url)
const docs = new URL('../docs/operating/', import.meta.url)

if (existsSync(latestFile)) {
  const latest = readJson(latestFile)
  const { preset, isComplete } = latest
  if (preset !== 'full' || !isComplete)
    throw new Error('bench/results/latest.json is not of a full run: run `npm run bench` first')
  if (existsSync(pinnedFile)) latest.pinned = readJson(pinnedFile)
  if (existsSync(soakFile)) latest.soak = summarizeSoak(readJson(soakFile))
  writeFileSync(publishedFile, `${JSON.stringify(latest, null, 2)}\n`)
}
const published = readJson(publishedFile)
writeFileSync(new URL('performance.md', docs), renderPage(published, readJson(beforeFile)))
writeFileSync(new URL('performance.svg', docs), renderChart(published))
console.log('Written: docs/operating/performance.md and performance.svg')

/** Without the minutes and samples behind the medians. */
function summarizeSoak({ minutes, rates }) {
  return { minutes, rates: rates.map(({ rows, samples, ...medians }) => medians) }
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
