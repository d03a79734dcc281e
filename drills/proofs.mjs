import { difference, subtract } from './multiset.mjs'
import { waitUntil } from './wait-until.mjs'

/** A worker that died holds its rows for a lease of two minutes. */
const restMs = 6 * 60_000
const replayedMax = 300

/** Waits until every payout has ended and every event is delivered. */
export async function waitForRest({ db, say }) {
  let last = ''
  await waitUntil(
    'every payout ends and every event is delivered',
    restMs,
    async () => {
      const { rows } = await db.query(`
      select (select count(*) from payouts where status = 'SUBMITTED')::int as payouts,
        (select count(*) from notices where state = 'WAITING')::int as notices,
        (select count(*) from deliveries where state = 'PENDING')::int as deliveries`)
      const open = JSON.stringify(rows[0])
      if (open !== last) say(`  under way: ${open}`)
      last = open
      return Object.values(rows[0]).every((count) => count === 0)
    },
    2_000,
  )
}

/**
 * Compares the responses that callers got with the API, the books, the bank, the chain and the webhook
 * endpoint. Returns every claim with its counterexamples.
 */
export async function proveEverything(scene) {
  const { service, load } = scene
  const resources = await readResources(scene)
  return [
    { claim: 'No process of the service died', found: service.deaths.map(describeDeath) },
    { claim: 'No write was refused or answered in an unexpected way', found: load.refused },
    proveNoBugs(scene),
    ...proveAcknowledged(scene, resources),
    ...(await provePaidOnce(scene, resources)),
    await proveBalances(scene, resources),
    ...(await proveWebhooks(scene, resources)),
    await proveByCommand(service, 'verify-ledger'),
    await proveByCommand(service, 'reconcile'),
    // Last, because a retry of a lost write would create it again.
    await proveReplays(scene),
  ]
}

function describeDeath({ name, code, at, why }) {
  return `${name} ended with ${code} at ${at.toISOString()}: ${why}`
}

/** A lost database is a 503. A 500 is a bug. */
function proveNoBugs({ service, load }) {
  const found = load.attempts.filter(({ status }) => status === 500).map(() => 'answered 500')
  const logged = found.length > 0 ? service.readErrors().slice(0, 5) : []
  return { claim: 'No request was answered 500', found: [...logged, ...found] }
}

async function readResources({ api }) {
  return {
    crypto: await api.list('/v1/disbursements/crypto'),
    bank: await api.list('/v1/disbursements/bank-transfer'),
    account: await api.list('/v1/collections/virtual-accounts'),
    payment: await api.list('/v1/collections/payments'),
    events: await api.list('/v1/events'),
  }
}

/** A retry with the same key returns the bytes of the acknowledged answer. */
async function proveReplays({ load, random }) {
  const found = []
  for (const write of random.shuffle(load.writes).slice(0, replayedMax)) {
    const again = await load.replay(write).catch((error) => ({ text: error.message }))
    if (!again.isReplayed || again.text !== write.text) found.push(`${write.key}: ${again.text}`)
  }
  return { claim: 'A retry of an acknowledged write returns the same answer', found }
}

/** Every write was retried until it was acknowledged, so both lists must be equal. */
function proveAcknowledged({ load }, resources) {
  return ['crypto', 'bank', 'account', 'payment'].map((kind) => {
    const acknowledged = load.writesOf(kind).map(({ data }) => data.reference)
    const listed = resources[kind].map(({ reference }) => reference)
    return {
      claim: `Every acknowledged write exists once, and no other (${kind}: ${acknowledged.length})`,
      found: [
        ...subtract(acknowledged, listed).map((reference) => `lost: ${reference}`),
        ...subtract(listed, acknowledged).map((reference) => `not acknowledged: ${reference}`),
      ],
    }
  })
}

/** Chain and bank executed each payout once; the bank's payments are credited once. */
async function provePaidOnce({ db, chain, merchant }, { crypto, bank, payment }) {
  const references = crypto.map(({ reference }) => reference)
  const memos = await chain.listMemos()
  const { rows: transfers } = await db.query(
    `select replace(reference, '-', '_') as reference, amount::text, ending from sandbox_transfers`,
  )
  const { rows: paid } = await db.query(`select id, amount::text from sandbox_payments`)
  const { rows: credited } = await db.query(`select rail_id as id, amount::text from payments`)
  const spent = sum(crypto.map(({ amount }) => toUnits(amount)))
  const treasury = await chain.readTreasury()
  const nameOf = ({ id, reference = id, amount }) => `${reference} ${amount}`
  return [
    {
      claim: 'Every payout ended as paid',
      found: [...crypto, ...bank]
        .filter(({ status }) => status !== 'CONFIRMED' && status !== 'COMPLETED')
        .map(({ reference, status }) => `${reference} is ${status}`),
    },
    {
      claim: 'The chain executed every crypto payout once, and nothing else',
      found: [
        ...subtract(references, memos).map((reference) => `not on the chain: ${reference}`),
        ...subtract(memos, references).map((memo) => `on the chain once too often: ${memo}`),
      ],
    },
    {
      claim: 'The hot wallet spent exactly what the payouts say',
      found: treasury === merchant.credits.USDC - spent ? [] : [`${treasury} is left`],
    },
    {
      claim: 'The bank executed every bank payout once, and nothing else',
      found: difference(bank.map(nameOf), transfers.map(nameOf)),
    },
    {
      claim: 'Every payment at the bank is credited once, and nothing else',
      found: [
        ...difference(paid.map(nameOf), credited.map(nameOf)),
        ...difference(
          payment.map(({ amount }) => amount),
          paid.map(({ amount }) => Number(amount)),
        ),
      ],
    },
  ]
}

async function proveBalances({ api, merchant }, { crypto, bank, payment }) {
  const { items } = await api.get('/v1/balances')
  const balanceOf = (asset) => items.find((each) => each.asset === asset)
  const [naira, usdc] = [balanceOf('NGN'), balanceOf('USDC')]
  const income = sum(payment.map(({ amountAccepted, fee }) => BigInt(amountAccepted - fee)))
  const expectedNaira =
    merchant.credits.NGN + income - sum(bank.map(({ totalDebit }) => BigInt(totalDebit)))
  const expectedUsdc =
    merchant.credits.USDC - sum(crypto.map(({ totalDebit }) => toUnits(totalDebit)))
  const expected = { naira: expectedNaira, heldNaira: 0n, usdc: expectedUsdc, heldUsdc: 0n }
  const actual = {
    naira: BigInt(naira.available),
    heldNaira: BigInt(naira.held),
    usdc: toUnits(usdc.available),
    heldUsdc: toUnits(usdc.held),
  }
  return {
    claim: 'Balances equal credits plus payments minus payouts; nothing is held',
    found: Object.keys(expected)
      .filter((name) => expected[name] !== actual[name])
      .map((name) => `${name}: ${actual[name]} instead of ${expected[name]}`),
  }
}

async function proveWebhooks({ receiver }, { crypto, bank, account, events }) {
  const expected = [
    ...crypto.flatMap(({ reference }) => [
      `crypto_transfer.submitted ${reference}`,
      `crypto_transfer.confirmed ${reference}`,
    ]),
    ...bank.flatMap(({ reference }) => [
      `bank_transfer.submitted ${reference}`,
      `bank_transfer.completed ${reference}`,
    ]),
    ...account.map(({ reference }) => `virtual_account.paid ${reference}`),
  ]
  const emitted = events.map(({ type, data }) => `${type} ${data.reference}`)
  const missing = events.filter(({ id }) => !receiver.received.has(id))
  const received = sum([...receiver.received.values()].map(BigInt))
  return [
    { claim: 'Every change emitted its event once', found: difference(expected, emitted) },
    {
      claim: `Every event was delivered at least once (${events.length} events, ${received} deliveries)`,
      found: missing.map(({ id, type }) => `${type} ${id}`),
    },
  ]
}

async function proveByCommand(service, command) {
  const { code, out, err } = await service.check(command)
  return { claim: `manilla ${command} is clean`, found: code === 0 ? [] : [out, err] }
}

function sum(amounts) {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function toUnits(decimal) {
  const [whole, fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}
