import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { judgeWord } from '../../../src/payouts/claims/count-tries.js'
import { findClaimByToken } from '../../../src/payouts/claims/store-claims.js'
import { signInLimits } from '../../../src/team/limits.js'
import { createPasswords, standardCost } from '../../../src/team/passwords.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { quickCost } from '../../support/sign-in.js'

const service = await openWithBank()
const { db } = service
const key = service.merchant.test.secret

async function post(path: string, body: object) {
  const headers = { 'idempotency-key': randomUUID() }
  return (await service.ask('POST', path, { key, body, headers })).json.data
}

// Recipients who are refused because the service is busy must not lose their guesses.
test('a word that could not be compared is no guess', async () => {
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
  const body = { amount: 1_000_000, description: 'Refund', secretWord: 'harmattan' }
  const { url } = await post('/v1/claims', body)
  const read = async () => (await findClaimByToken(db, url.split('/').at(-1)))!
  const claim = await read()

  const passwords = createPasswords(quickCost)
  const stored = await passwords.hash('x')
  const { hashesRunningMax, hashesWaitingMax } = signInLimits
  // Slow ones run, and quick ones wait for them.
  const busy = Array.from({ length: hashesRunningMax + hashesWaitingMax }, (_, index) =>
    passwords.isRight('x', index < hashesRunningMax ? { ...stored, ...standardCost } : stored),
  )
  const refused = judgeWord({ db, passwords }, claim, 'wrong word')
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await read()).toMatchObject({ guesses: 0 })

  await Promise.all(busy)
  expect(await judgeWord({ db, passwords }, claim, 'wrong word')).toBe('wrong')
  expect(await read()).toMatchObject({ guesses: 1 })
  expect(await judgeWord({ db, passwords }, claim, 'harmattan')).toBe('right')
  expect(await read()).toMatchObject({ guesses: 1 })
})
