import { appendFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { Journal } from './journal.js'

const request = {
  kind: 'funding',
  caller: 'key',
  path: '/v1/test/balances/fund',
  body: {},
} as const
const answer = JSON.stringify({ status: true, data: { reference: 'fund_1', amount: 5 } })

// The driver may be killed between a request and its answer, and in the middle of a line. The next run
// must retry what has no answer under its own key, and must not use that key for anything else.
test('a journal continues after its driver was killed', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'journal-')), 'journal.jsonl')
  const first = new Journal(file)
  first.answer(first.send(request), 201, answer)
  const unanswered = first.send(request)
  first.kill({ victim: 'api', requests: 1, resources: 0 })
  appendFileSync(file, '{"answered":{"key":"mixed 2","st')

  const second = new Journal(file)
  expect([second.acknowledged, second.kills.length]).toEqual([1, 1])
  expect([...second.open.values()]).toEqual([unanswered])
  const refused = JSON.stringify({ status: false, reason: 'quote_expired' })
  second.answer(unanswered, 409, refused)
  const next = second.send(request)
  expect(next.key).not.toBe(unanswered.key)

  const third = new Journal(file)
  expect([third.acknowledged, third.refused.length]).toEqual([1, 1])
  expect(third.list('funding')[0]!.answer.kept).toMatchObject({ reference: 'fund_1', amount: 5 })
  expect([...third.open.keys()]).toEqual([next.key])
})
