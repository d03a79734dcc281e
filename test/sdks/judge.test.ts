import { describe, expect, test } from 'vitest'
import type { Answered } from './conformance/compare.js'
import { apiKey, judge } from './conformance/judge.js'
import type { Scenario, Step } from './conformance/scenarios.js'
import { openScenarioServer } from './conformance/server.js'

/** The conformance suite finds what a careless client does. */

const path = '/v1/disbursements/bank-transfer'
const expected = { method: 'POST', path, body: { amount: 5_000 } }
const steps: Step[] = [
  { expect: expected, fault: 'close' },
  { expect: expected, status: 201, data: { reference: 'bt_1', narration: null } },
]
const scenario: Scenario = {
  id: 'judge/payout',
  group: 'Judge',
  title: 'is sent again',
  call: { resource: 'bankTransfers', operation: 'create', body: { amount: 5_000 } },
  steps,
  result: { value: { reference: 'bt_1' } },
  notFor: {},
}
const headers = {
  accept: 'application/json',
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
  'idempotency-key': '3f1c8b52-6a0e-4d7b-9c11-0a2b3c4d5e6f',
}
const right = { headers, body: '{"amount":5000}' }

/** Sends these requests, answers this, and returns what the suite finds. */
async function problemsOf(sent: Partial<typeof right>[], answered: Answered): Promise<string[]> {
  const server = await openScenarioServer()
  const { baseUrl, play } = server.play('judge', steps)
  for (const request of sent)
    await fetch(baseUrl + path, { method: 'POST', ...right, ...request }).catch(() => {})
  server.close()
  return judge(scenario, play, answered)
}

const done: Answered = { value: { reference: 'bt_1' } }

test('a careful client has no problems', async () => {
  expect(await problemsOf([right, right], done)).toEqual([])
})

describe('a client has a problem that', () => {
  test.each<[string, Partial<typeof right>[], Answered, string]>([
    ['does not repeat', [right], done, '1 requests instead of 2'],
    ['repeats too often', [right, right, right], done, 'is one too many'],
    [
      'takes a new key',
      [
        right,
        { headers: { ...headers, 'idempotency-key': '3f1c8b52-6a0e-4d7b-9c11-0a2b3c4d5e70' } },
      ],
      done,
      'the idempotency key changed',
    ],
    [
      'has a key that is no UUID',
      [{ headers: { ...headers, 'idempotency-key': '1' } }, right],
      done,
      'no UUID',
    ],
    [
      'forgets its API key',
      [{ headers: { ...headers, authorization: '' } }, right],
      done,
      'Authorization is wrong',
    ],
    ['changes the body', [right, { body: '{"amount":5001}' }], done, 'request 2: body is'],
    ['loses a field', [right, right], { value: {} }, 'value is {}'],
    ['reports an error', [right, right], { error: { code: 'no_answer' } }, 'error: '],
    ['shows the key', [right, right], { value: apiKey }, 'The answer contains the API key.'],
    ['crashes', [right, right], { crash: 'out of memory' }, 'out of memory'],
  ])('%s', async (_, sent, answered, problem) => {
    expect((await problemsOf(sent, answered)).join('\n')).toContain(problem)
  })
})
