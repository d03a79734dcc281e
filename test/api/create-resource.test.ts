import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { commitRefusal, createResource } from '../../src/api/pipeline/create-resource.js'
import { createKeyedLanes, createRefusalLanes } from '../../src/api/server/keyed-lane.js'
import type { Environment } from '../../src/base/environment.js'
import type { JsonText } from '../../src/base/json-text.js'
import { type Outcome, Refusal } from '../../src/base/refusal.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { toIdempotencyKey } from '../../src/idempotency/key.js'
import { connectLane } from '../../src/postgres/wire/connection.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'

/** Copies of one request may be prepared and refused at the same time, in different lanes. */

const db = await freshDatabase()
const clock = manualClock()
const uncovered = new Refusal('insufficient_balance', { message: 'Not covered.' })

type Prepared = { shown: JsonText; finish: () => void }

async function openLanes() {
  const id = await insertEnvironment(db)
  const environment: Environment = {
    id,
    mode: 'test',
    merchantId: 'mer_test',
    merchantName: 'Ada',
    clockOffsetMs: 0,
    collectBank: null,
    payoutBank: null,
    isSuspended: false,
  }
  const context = {
    connect: () => connectLane(db.url, 'manilla test'),
    clock,
    seal: createSeal(new Secret(randomBytes(32).toString('hex'))),
  }
  let commits = 0
  let beforeCommit = async () => {}
  const resources = createKeyedLanes<Prepared, string>(context, async (_tx, _now, prepared) => {
    await beforeCommit()
    commits += prepared.length
    return prepared.map(({ shown }) => shown)
  })
  const refusals = createRefusalLanes(context)
  const lanes = [resources.test, resources.live, refusals.test, refusals.live]
  onTestFinished(async () => {
    await Promise.all(lanes.map((lane) => lane.close()))
  })

  let requests = 0
  const callerOf = (key: string | undefined) => {
    const request = { method: 'POST', path: '/v1/things', body: {}, callerId: 'a key' }
    return {
      environment,
      key: key === undefined ? undefined : toIdempotencyKey(key, request),
      requestId: `req_${requests++}`,
      body: request.body,
      now: clock.now(),
      audited: undefined,
    }
  }
  const api = { storeRefusal: refusals.run }
  const sent: string[] = []
  let finished = 0
  const prepared = (shown: string): Prepared => ({
    shown: shown as JsonText,
    finish: () => {
      finished += 1
    },
  })
  return {
    create: (key: string, outcome: Outcome<string>) =>
      createResource(api, callerOf(key), outcome instanceof Refusal ? outcome : prepared(outcome), {
        message: 'Created',
        commit: resources.run,
        send: ({ shown }) => sent.push(shown),
      }),
    refuse: (key: string | undefined, refusal: Refusal) =>
      commitRefusal(api, callerOf(key), refusal),
    sent,
    counts: () => ({ commits, finished }),
    delayCommit: (delay: () => Promise<void>) => {
      beforeCommit = delay
    },
  }
}

test('what was committed is sent once, and its copies get the same answer', async () => {
  const { create, sent, counts } = await openLanes()
  const answers = await Promise.all(['"a"', '"b"', '"c"'].map((shown) => create('copies', shown)))
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  expect(answers.filter(({ isReplayed }) => isReplayed)).toHaveLength(2)
  expect(sent).toHaveLength(1)
  expect(counts()).toEqual({ commits: 1, finished: 3 })
})

// The first copy spends the balance, so the second one is refused, and its answer must still be
// that of the first: it names the same payout.
test('a copy that is refused while the first one commits gets the answer of the first', async () => {
  const { create, sent, delayCommit } = await openLanes()
  let isCommitting = () => {}
  const hasStarted = new Promise<void>((resolve) => {
    isCommitting = resolve
  })
  delayCommit(async () => {
    isCommitting()
    await new Promise((resolve) => setTimeout(resolve, 50))
  })
  const first = create('race', '"a"')
  await hasStarted
  const second = await create('race', uncovered)
  expect([second.status, second.isReplayed]).toEqual([201, true])
  expect(second.body).toBe((await first).body)
  expect(sent).toEqual(['"a"'])
})

test('a refusal is the answer to every later copy, and nothing is committed or sent', async () => {
  const { create, sent, counts } = await openLanes()
  const refused = await create('refused', uncovered)
  expect([refused.status, refused.isReplayed]).toEqual([402, false])
  const later = await create('refused', '"a"')
  expect([later.body, later.isReplayed]).toEqual([refused.body, true])
  expect(sent).toEqual([])
  expect(counts()).toEqual({ commits: 0, finished: 1 })
})

test('a failure on our side, or a refusal without a key, is thrown and not stored', async () => {
  const { create, refuse } = await openLanes()
  const away = new Refusal('crypto_transfer_failed', { reason: 'rail_unavailable', message: 'No.' })
  await expect(create('away', away)).rejects.toBe(away)
  await expect(refuse(undefined, uncovered)).rejects.toBe(uncovered)
  expect((await create('away', '"a"')).status).toBe(201)
})
