import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { createConsole } from '../../sdk/cli/console.js'
import type { Terminal } from '../../sdk/cli/terminal.js'
import { createMetrics } from '../../src/api/observe/metrics.js'
import { day, systemClock } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { reconciliationActions } from '../../src/operations/actions/reconciliations.js'
import { addStock, checkStock } from '../../src/operations/changes/change-exchange.js'
import type { Service } from '../../src/operations/definitions/definition.js'
import { registerCommands } from '../../src/operations/definitions/register-commands.js'
import { reconcile, reconcileDue } from '../../src/operations/reconcile/reconcile.js'
import { decidePayout } from '../../src/payouts/attempts/decide-payout.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import { listReconciliations } from '../../src/payouts/reconciliation/reconciliations.js'
import { createOpenPayoutTotals } from '../../src/payouts/reconciliation/treasury-books.js'
import { sql } from '../../src/postgres/sql.js'
import { createKeySigner } from '../../src/rails/solana/keys/signer.js'
import { createSolanaRail } from '../../src/rails/solana/rail.js'
import { createCoinMint, giveLamports } from '../../src/simulation/embedded-chain.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { mintBackings } from '../../src/simulation/test-funding.js'
import { countTroubledWallets } from '../../src/wallets/troubled-wallets.js'
import { openChain } from '../simulation/localnet/localnet.js'
import { newWallet, signTransfer, unchecked } from '../simulation/localnet/transfers.js'
import { instructionTo, prepareAttempts } from '../simulation/sandbox-bank/open-bank.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { inTestMode, openManilla } from '../support/open-manilla.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

// End to end: payouts over HTTP, on the embedded chain and the sandbox bank. Then money is moved,
// or rows are edited, behind the service's back, and reconciliation must report it.

const db = await freshDatabase()
const chain = await openChain()
const clock = manualClock()
const logged: string[] = []
const logger = createLogger('error', { write: (line) => logged.push(line) })

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const keyBytes = Buffer.concat([
  privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32),
  publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
])
const signer = createKeySigner(new Secret(JSON.stringify([...keyBytes])))
const thief = await createKeyPairSignerFromBytes(keyBytes)
await giveLamports(chain.url, signer.address)
const solana = await createSolanaRail({
  nodeUrls: [chain.url],
  signer,
  logger,
  isEmbedded: true,
  network: 'not-mainnet',
  // Its caches expire by seconds, which do not pass on the manual clock.
  clock: systemClock,
  findOurAddresses: async () => new Set<string>(),
  openPayouts: createOpenPayoutTotals(db, 'test'),
})
const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
const mint = createCoinMint(chain.url, solana)
const rails = { solana: { test: solana, live: undefined }, rails: inTestMode(bank) }
/** Blocks and time advance only by hand, so the second comparison need not wait. */
const tools = { db, rails, logger, confirmDelayMs: 1 }

const secret = new Secret(randomBytes(32).toString('hex'))
const beside = { db, clock, secret }
const service = await openManilla({
  beside,
  mint,
  rails: new Rails({ test: { payoutBank: bank, chain: solana } }),
})
/** Accepts payouts and never sends them. */
const forgetful = await openManilla({
  beside,
  mint,
  rails: new Rails({ test: { chain: { ...solana, send: async () => {} }, payoutBank: bank } }),
})
const merchant = await service.addMerchant('Ada')
const key = merchant.test.secret
let count = 0

async function fund(asset: string, amount: string | number): Promise<void> {
  await service.ask('POST', '/v1/test/balances/fund', { key, body: { asset, amount } })
}

async function payWallet(amount: string, where = service): Promise<string> {
  const destinationAddress = await newWallet()
  const body = { amount, asset: 'USDC', network: 'SOLANA', destinationAddress }
  const headers = { 'idempotency-key': `reconcile ${count++}` }
  const { json } = await where.ask('POST', '/v1/disbursements/crypto', { key, headers, body })
  return json.data.reference
}

async function payBank(accountNumber = '0123456789'): Promise<string> {
  const body = { amount: 1_000_000, bankCode: '058', accountNumber }
  const headers = { 'idempotency-key': `reconcile ${count++}` }
  const path = '/v1/disbursements/bank-transfer'
  const { json } = await service.ask('POST', path, { key, headers, body })
  return json.data.reference
}

/** Advances time and blocks, and runs the workers. */
async function advance(seconds = 5): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    clock.advance(1_000)
    await chain.advance(20)
    await mintBackings({ db, mint })
    for (const rail of [solana, bank]) await pollPayouts({ db, rail, logger, clock }, clock.now())
    await followReversals({ db, rail: bank, logger }, clock.now())
  }
}

async function statusOf(reference: string): Promise<string> {
  const kind = reference.startsWith('ct_') ? 'crypto' : 'bank-transfer'
  return (await service.ask('GET', `/v1/disbursements/${kind}/${reference}`, { key })).json.data
    .status
}

const known = new Set<string>()

/** Differences that were not reported before. */
async function findNew() {
  const results = await reconcile(tools, clock.now())
  const all = results.flatMap(({ rail, differences }) =>
    differences.map(({ kind, name, ...rest }) => ({ rail, kind, name, ...rest })),
  )
  const fresh = all.filter(({ kind, name }) => !known.has(`${kind} ${name}`))
  for (const { kind, name } of fresh) known.add(`${kind} ${name}`)
  return fresh
}

async function steal(amount: bigint, memo: string): Promise<string> {
  const { signature, wire } = await signTransfer(chain, {
    payer: thief,
    to: await newWallet(),
    amount,
    memo,
  })
  await chain.call('sendTransaction', wire, unchecked)
  await chain.advance(40)
  return signature
}

/** Bypasses triggers, as a person with a console would. */
async function tamper(text: string): Promise<void> {
  await db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    tx.write({ text, values: [] })
  })
}

const idOf = (reference: string) =>
  `(select id from payouts where requested_amount = '${reference}')`
let paid: string

const figures = {
  listReconciliations: () => listReconciliations(db),
  countTroubled: () => countTroubledWallets(db),
  countDisputes: async () => [],
  countDroppedLogs: () => 0,
}

describe('a healthy system', () => {
  test('has no differences, whatever the outcome of its payouts', async () => {
    await fund('USDC', '1000')
    await fund('NGN', 100_000_000)
    await advance()
    paid = await payWallet('25.5')
    const others = await Promise.all([payWallet('1'), payWallet('0.000001'), payBank()])
    const failed = await payBank('9900000027')
    const reversed = await payBank('9900000034')
    await advance(10)
    expect(await Promise.all([paid, ...others].map(statusOf))).toEqual([
      'CONFIRMED',
      'CONFIRMED',
      'CONFIRMED',
      'COMPLETED',
    ])
    expect(await Promise.all([failed, reversed].map(statusOf))).toEqual(['FAILED', 'REVERSED'])
    const results = await reconcile(tools, clock.now())
    const names = results.map(({ rail, differences }) => [rail, differences])
    expect(names).toEqual([
      [solana.name, []],
      ['sandbox-bank', []],
    ])
    await expectAllProofs(db)
  })

  test('shows the operator what was compared', async () => {
    const printed: string[] = []
    const terminal = {
      clock,
      actor: 'ada',
      print: (text: string) => printed.push(text),
      withDatabase: <Result>(work: (given: typeof db, seal: never) => Promise<Result>) =>
        work(db, undefined as never),
      ...createConsole({
        hasColors: false,
        startProgress: () => ({ step() {}, end() {} }),
      } as unknown as Terminal),
    }
    const program = new Command()
    const service = { withRails: (_, work) => work(rails) } as Pick<Service, 'withRails'> as Service
    registerCommands(program, { terminal, service }, reconciliationActions, {})
    await program.parseAsync(['reconcile'], { from: 'user' })
    expect(printed.join('\n').split('\n')).toEqual([
      `✓ ${solana.name}`,
      expect.stringMatching(/^ {4}slots 0 to [1-9]\d*$/),
      '    payouts in the books: 3, transfers at the rail: 3, treasury balances: 2',
      '✓ sandbox-bank',
      `    beginning to ${clock.now().toISOString()}`,
      '    payouts in the books: 3, transfers at the rail: 3, payments at the rail: 0',
      '',
      'Books, chain and bank agree.',
    ])
  })

  // One payout is sent and not polled yet, another was never sent, coins are not minted.
  test('may have payouts in flight on either side', async () => {
    const left = await payWallet('2')
    const waiting = await payWallet('3', forgetful)
    await payBank()
    await payBank('9900000065')
    await until(async () => (await db.rows(sql`select from sandbox_transfers`)).length === 5)
    await fund('USDT', '7')
    await chain.advance(40)
    expect(await findNew()).toEqual([])
    expect(await Promise.all([left, waiting].map(statusOf))).toEqual(['SUBMITTED', 'SUBMITTED'])
    await advance(10)
    expect(await findNew()).toEqual([])
  })

  // The bank's staff reported the outcome; its API still returns pending.
  test('has none after an operator decided a payout that the bank never finishes', async () => {
    const reference = await payBank('9900000065')
    await advance(2)
    clock.advance(payoutLimits.leaseMs)
    await db.transaction((tx) => decidePayout(tx, clock.now(), { reference, hasLanded: false }))
    expect(await statusOf(reference)).toBe('FAILED')
    expect(await findNew()).toEqual([])
  })

  // All payouts but those of the last slots are checked one by one, and then no node responds.
  test('reports payouts as not compared, not as missing, when no node responds', async () => {
    const far = 1n << 40n
    await chain.advance(200)
    const asOnMainnet = await createSolanaRail({
      nodeUrls: [chain.url],
      signer,
      clock: systemClock,
      logger,
      isEmbedded: false,
      network: 'not-mainnet',
      findOurAddresses: async () => new Set<string>(),
      openPayouts: createOpenPayoutTotals(db, 'test'),
    })
    const remote = { ...rails, solana: { test: asOnMainnet, live: undefined } }
    const results = await reconcile({ ...tools, rails: remote }, clock.now(), far)
    expect(results.flatMap(({ differences }) => differences)).toEqual([])
    const check: typeof solana.check = async (attempts) =>
      attempts.map(() => ({ state: 'pending' }))
    const silent = { ...rails, solana: { test: { ...solana, check }, live: undefined } }
    const [incomplete] = await reconcile({ ...tools, rails: silent }, clock.now(), far)
    expect(new Set(incomplete!.differences.map(({ kind }) => kind))).toEqual(
      new Set(['not_compared']),
    )
    expect(incomplete!.differences.map(({ name }) => name)).toContain(paid)
    await asOnMainnet.stop()
  })

  test('is compared once a day, from where it last agreed, with metrics', async () => {
    expect(await reconcileDue(tools, clock.now())).toBe(0)
    clock.advance(day)
    await payWallet('4')
    await advance()
    // Two concurrent workers: each rail is compared by one of them.
    const done = await Promise.all([1, 2].map(() => reconcileDue(tools, clock.now())))
    expect(done[0]! + done[1]!).toBe(2)
    expect(await reconcileDue(tools, clock.now())).toBe(0)
    const text = await createMetrics({}, figures).registry.metrics()
    expect(text).toContain('manilla_reconciliation_differences{rail="sandbox-bank"} 0')
    expect(text).toContain(`manilla_reconciliation_differences{rail="${solana.name}"} 0`)
    const at = clock.now().getTime() / 1_000
    expect(text).toContain(`manilla_reconciliation_timestamp_seconds{rail="sandbox-bank"} ${at}`)
  })
})

describe('a difference is reported', () => {
  test('when a bank transfer is not in the books', async () => {
    const attempts = await prepareAttempts(bank, [instructionTo('0123456789')])
    await bank.send(attempts)
    clock.advance(5_000)
    const { token, reference } = attempts[0]!
    expect(await findNew()).toEqual([
      {
        rail: 'sandbox-bank',
        kind: 'not_in_books',
        name: token,
        inBooks: 'nothing',
        atRail: `₦2,500.00 completed, with the memo ${reference}`,
      },
    ])
  })

  test('when a payout is completed in the books but not at the bank', async () => {
    await tamper(`update payouts set status = 'COMPLETED', completed_at = now()
      where kind = 'bank_transfer' and status = 'SUBMITTED'`)
    const [difference, ...more] = await findNew()
    expect(more).toEqual([])
    expect(difference).toMatchObject({
      rail: 'sandbox-bank',
      kind: 'state_differs',
      name: expect.stringMatching(/^bt_/),
      inBooks: 'COMPLETED, the attempt LIVE',
      atRail: 'processing',
    })
  })

  test('when a reversal by the bank is not booked', async () => {
    const reference = await payBank('9900000034')
    await until(async () => {
      clock.advance(1_000)
      await pollPayouts({ db, rail: bank, logger, clock }, clock.now())
      return (await statusOf(reference)) === 'COMPLETED'
    })
    clock.advance(10_000)
    expect(await findNew()).toEqual([
      {
        rail: 'sandbox-bank',
        kind: 'state_differs',
        name: reference,
        inBooks: 'COMPLETED, the attempt LANDED',
        atRail: 'reversed',
      },
    ])
    // Once corrected, the difference is gone.
    await advance(2)
    const after = await reconcile(tools, clock.now())
    expect(after.flatMap(({ differences }) => differences.map(({ name }) => name))).not.toContain(
      reference,
    )
  })

  test('when a payout is completed in the books but was never sent', async () => {
    const reference = await payWallet('5.125', forgetful)
    await tamper(`update payouts set status = 'COMPLETED', completed_at = now()
      where id = ${idOf('5.125')}`)
    await tamper(`update payout_attempts set state = 'LANDED', ended_at = now()
      where payout_id = ${idOf('5.125')}`)
    expect(await findNew()).toEqual([
      {
        rail: solana.name,
        kind: 'not_at_rail',
        name: reference,
        inBooks: '5.125 USDC COMPLETED',
        atRail: 'nothing',
      },
    ])
  })

  test('when the amounts of books and chain differ', async () => {
    await tamper(`update payouts set amount = amount + 1 where id = ${idOf('25.5')}`)
    expect(await findNew()).toEqual([
      {
        rail: solana.name,
        kind: 'amount_differs',
        name: paid,
        inBooks: '25.500001 USDC',
        atRail: '25.5 USDC',
      },
    ])
  })

  test('when a payout is failed in the books but landed', async () => {
    const reference = await payWallet('6.5')
    await advance()
    await tamper(`update payouts set status = 'FAILED', failed_at = now(), completed_at = null,
      failure_reason = 'expired' where id = ${idOf('6.5')}`)
    await tamper(`update payout_attempts set state = 'DEAD' where payout_id = ${idOf('6.5')}`)
    expect(await findNew()).toEqual([
      {
        rail: solana.name,
        kind: 'state_differs',
        name: reference,
        inBooks: 'FAILED, the attempt DEAD',
        atRail: 'completed',
      },
    ])
  })

  // Uses the memo of an existing payout: paid twice.
  test('when the treasury paid outside the service', async () => {
    const signature = await steal(10_000_000n, paid)
    const [one, ...more] = await findNew()
    expect(one).toEqual({
      rail: solana.name,
      kind: 'not_in_books',
      name: signature,
      inBooks: 'nothing',
      atRail: `10 USDC completed, with the memo ${paid}`,
    })
    expect(more).toEqual([
      expect.objectContaining({ rail: solana.name, kind: 'treasury_differs', name: 'USDC' }),
    ])
  })

  test('when incoming coins are not booked', async () => {
    await mint.mintAll([{ key: 'a stranger', asset: 'USDT', amount: 5n }])
    await chain.advance(40)
    expect(await findNew()).toEqual([
      {
        rail: solana.name,
        kind: 'treasury_differs',
        name: 'USDT',
        inBooks: '7 USDT',
        atRail: '7.000005 USDT',
      },
    ])
  })

  test('every day until it is corrected, in the log and in the metrics', async () => {
    clock.advance(10 * day)
    logged.length = 0
    expect(await reconcileDue(tools, clock.now())).toBe(2)
    const differences = logged.map((line) => JSON.parse(line)).filter(({ kind }) => kind)
    expect(new Set(differences.map(({ kind, name }) => `${kind} ${name}`)).size).toBe(8)
    const text = await createMetrics({}, figures).registry.metrics()
    expect(text).toContain('manilla_reconciliation_differences{rail="sandbox-bank"} 2')
    expect(text).toContain(`manilla_reconciliation_differences{rail="${solana.name}"} 6`)
  })

  // The 5 units of the stranger: no more than these, and only once.
  test('unless the operator adds the incoming coins to the exchange', async () => {
    const order = { mode: 'test', asset: 'USDT', amount: 5n, note: 'Own coins' } as const
    await expect(checkStock(db, { ...order, amount: 6n }, solana)).rejects.toThrow(
      'holds 7.000005 USDT, which is 0.000005 USDT more than the ledger explains',
    )
    const checked = await checkStock(db, order, solana)
    const add = () =>
      db.transaction((tx) => addStock(tx, clock.now(), { ...order, checked }, 'ada'))
    await add()
    await expect(add()).rejects.toThrow('The stock changed meanwhile')
    await expect(checkStock(db, order, solana)).rejects.toThrow(
      'which is 0 USDT more than the ledger',
    )
    const results = await reconcile(tools, clock.now())
    const names = results.flatMap(({ differences }) => differences.map(({ name }) => name))
    expect(names).toContain('USDC')
    expect(names).not.toContain('USDT')
  })
})
