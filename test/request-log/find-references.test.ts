import { expect, test } from 'vitest'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { newSessionReference } from '../../src/collections/sessions/session.js'
import { findResourceIds } from '../../src/request-log/find-references.js'
import { requestLogLimits } from '../../src/request-log/limits.js'

const ids = Array.from({ length: 300 }, () => newId(new Date()))
const [one, two] = ids as [string, string]

test('references of every kind are found in a path, sessions with any random part', () => {
  for (const prefix of [prefixes.payment, prefixes.funding, prefixes.bankTransfer, prefixes.event])
    expect(findResourceIds(`/v1/x/${toReference(prefix, one)}/y`, '')).toEqual([one])
  for (const id of ids)
    expect(findResourceIds(`/v1/x/${newSessionReference(id)}`, '')).toEqual([id])
})

test('an answer names its resources once, a list none', () => {
  const payment = toReference(prefixes.payment, one)
  const account = toReference(prefixes.virtualAccount, two)
  const item = `{"reference":"${payment}","accountReference":"${account}","same":"${payment}"}`
  const answer = `{"status":true,"message":"Payment","data":${item}}`
  expect(findResourceIds('/v1/x', answer)).toEqual([one, two])
  const list = `{"status":true,"message":"Payments","data":{"items":[${item}],"nextCursor":null}}`
  expect(findResourceIds(`/v1/x/${account}`, list)).toEqual([two])
})

test('other texts name nothing, and the number of names is bounded', () => {
  const payment = toReference(prefixes.payment, one)
  const session = newSessionReference(one)
  const others = [
    toReference(prefixes.apiKey, one),
    toReference(prefixes.requestLog, one),
    `x${payment}`,
    `${payment}0`,
    payment.slice(0, -1),
    payment.toUpperCase(),
    session.slice(0, -1),
    `${session}0`,
    session.replace(/.{14}$/, (tail) => `u${tail.slice(1)}`),
    'pay_',
    '_'.repeat(9_000),
  ]
  for (const text of others) expect([text, findResourceIds(text, text)]).toEqual([text, []])
  const many = ids.map((id) => toReference(prefixes.payment, id)).join()
  expect(findResourceIds('', many)).toEqual(ids.slice(0, requestLogLimits.resourcesPerEntryMax))
})
