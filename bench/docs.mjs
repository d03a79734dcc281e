/**
 * npm run bench:docs: publishes the last full run. Copies results/latest.json to published.json and
 * writes the table and the chart of docs/operating/performance.md from it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { renderChart, renderPage } from './render.mjs'

const latestFile = new URL('results/latest.json', import.meta.url)
const publishedFile = new URL('published.json', import.meta.url)
const docs = new URL('../docs/operating/', import.meta.url)

if (existsSync(latestFile)) {
  const latest = readFileSync(latestFile, 'utf8')
  const { preset, isComplete } = JSON.parse(latest)
  if (preset !== 'full' || !isComplete)
    throw new Error('bench/results/latest.json is not of a full run: run `npm run bench` first')
  writeFileSync(publishedFile, latest)
}
const published = JSON.parse(readFileSync(publishedFile, 'utf8'))
writeFileSync(new URL('performance.md', docs), renderPage(published))
writeFileSync(new URL('performance.svg', docs), renderChart(published))
console.log('Written: docs/operating/performance.md and performance.svg')
