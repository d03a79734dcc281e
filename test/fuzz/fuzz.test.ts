import { expect, test } from 'vitest'
import { magicAccounts } from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { openWithBank } from '../support/open-with-bank.js'
import { seedOf } from '../support/seed.js'
import { fuzz } from './fuzz.js'
import { summarize } from './summarize.js'

/** A short version of `npm run fuzz`. */

const cases = 600

test('every answer matches the document, whatever is sent', async () => {
  const { url, ask, merchant } = await openWithBank()
  const { json: document } = await ask('GET', '/openapi.json')
  const { test: own, live } = merchant
  const keys = { secret: own.secret, public: own.public, liveSecret: live.secret }
  const report = await fuzz(
    { url, document, keys: { ...keys, livePublic: live.public } },
    { cases, seed: seedOf('fuzz'), ms: 30_000 },
    { accountNumber: magicAccounts.map(({ number }) => number) },
  )
  console.log(summarize(report))
  expect(report.troubles).toEqual([])
})
