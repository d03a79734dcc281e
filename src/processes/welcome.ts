import path from 'node:path'
import type { Demo } from '../simulation/demo.js'
import type { Served } from './serve.js'

type StartedService = {
  served: Served
  demo: Demo | undefined
  /** Signs in to the console, once. */
  startUrl: string | undefined
  home: string
  hasTestBank: boolean
  readyMs: number
}

/** Printed by `npm start`: addresses, keys, and a first request to paste. */
export function welcome(started: StartedService): string {
  const { served, demo, startUrl, home, hasTestBank, readyMs } = started
  const rows = [
    ...(startUrl ? [['Console', startUrl]] : []),
    ['API', served.url],
    ['API docs', `${served.url}/docs`],
    ['Metrics', served.metricsUrl],
    ...(demo?.solanaRpcUrl ? [['Solana RPC', demo.solanaRpcUrl]] : []),
  ]
  const head = [`${mark} Manilla is ready (${(readyMs / 1_000).toFixed(1)} s)`, '', ...table(rows)]
  const missing = hasTestBank
    ? []
    : ['', '  Test mode has no bank (BANK_TEST=none): naira payments are refused.']
  return [...head, ...missing, ...(demo ? demoLines(demo, home) : []), ''].join('\n')
}

function demoLines(demo: Demo, home: string): string[] {
  return [
    '',
    `  Demo merchant: ${demo.merchant.displayName}, with test balances`,
    ...table([
      ['Secret key', demo.test.secretKey],
      ['Public key', demo.test.publicKey],
      ['Live keys', path.join(home, 'demo.json')],
    ]),
    '',
    '  Try it:',
    '',
    `    curl ${demo.baseUrl}/v1/balances -H 'Authorization: Bearer ${demo.test.secretKey}'`,
    '',
    '  Press Ctrl-C to stop.',
  ]
}

function table(rows: string[][]): string[] {
  return rows.map(([name, value]) => `  ${name!.padEnd(12)}${value}`)
}

const mark = '◯'
