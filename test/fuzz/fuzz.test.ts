import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { magicAccounts } from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { isLongRun } from '../support/long-run.js'
import { openWithBank } from '../support/open-with-bank.js'
import { seedOf } from '../support/seed.js'
import { fuzz, sendAllowed } from './fuzz.js'
import { listOperations } from './operations.js'
import { summarize } from './summarize.js'
import { unwrittenRules } from './unwritten-rules.js'

/** A short version of `npm run fuzz`; `npm run test:long` sends more of what is allowed. */

const cases = isLongRun ? 600 : 300
const perOperation = isLongRun ? 6 : 3

const { url, ask, merchant } = await openWithBank()
const { json: document } = await ask('GET', '/openapi.json')
const { test: own, live } = merchant
const keys = {
  secret: own.secret,
  public: own.public,
  liveSecret: live.secret,
  livePublic: live.public,
}
const target = { url, document, keys }

test('every answer matches the document, whatever is sent', async () => {
  const report = await fuzz(
    target,
    { cases, seed: seedOf('fuzz'), ms: 30_000 },
    { accountNumber: magicAccounts.map(({ number }) => number) },
  )
  console.log(summarize(report))
  expect(report.troubles).toEqual([])
})

// The other direction is part of every run of the fuzzer: what the document forbids never succeeds.
test('no request that the document allows is refused as invalid, by any operation', async () => {
  const { met, troubles } = await sendAllowed(target, { perOperation, seed: seedOf('allowed') })
  expect(troubles).toEqual([])
  expect(met.size).toBe(listOperations(document).length)
})

test('the rules that no schema expresses are on the page of decisions', () => {
  const file = path.resolve(import.meta.dirname, '../../docs/reference/contract.md')
  const page = readFileSync(file, 'utf8').replace(/\s+/g, ' ')
  expect(unwrittenRules.filter(({ rule }) => !page.includes(rule))).toEqual([])
})
