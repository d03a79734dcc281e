import { readFileSync } from 'node:fs'
import path from 'node:path'
import { base58 } from '@scure/base'
import type { Rpc } from '../simulation/localnet/localnet.js'
import { tokenAccountOf, usdc, usdt } from '../simulation/localnet/transfers.js'
import { type Program, runCommand } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { differenceOf } from './multiset.js'
import type { Callers } from './payout-callers.js'
import { type Api, openSite, readAll } from './storm-site.js'

type Coin = 'USDC' | 'USDT'
const mints: Record<Coin, string> = { USDC: usdc, USDT: usdt }
const demoFunding = 10_000_000_000n
const replayed = 200

type Transfer = {
  reference: string
  asset: Coin
  amount: string
  totalDebit: string
  destinationAddress: string
  status: string
  transactionSignature: string
  attempts: { signature: string; state: string }[]
}

/** A transaction that moved coins of the treasury. */
type Landing = {
  asset: Coin
  signature: string
  memo: string | null
  hasFailed: boolean
  /** Amount out of the treasury (negative if in), and into each other wallet. */
  out: bigint
  received: Map<string, bigint>
}

type Money = { available: bigint; held: bigint; treasury: bigint }

export type Aftermath = {
  acknowledged: number
  confirmed: number
  failed: number
  /** Payouts that took more than one attempt. */
  signedAnew: number
  /** Keys whose answer differs from the first one. */
  changedAnswers: string[]
  /** Acknowledged references missing from or repeated in the list, and vice versa. */
  missing: string[]
  unexplained: string[]
  /** Payouts whose landings contradict their status. */
  wrongLandings: string[]
  /** Movements of the treasury without a payout or funding. */
  unknownLandings: string[]
  wrongEvents: string[]
  money: Record<Coin, Money>
  expected: Record<Coin, Money>
  verdict: { code: number | null; out: string }
  exitCode: number | null
}

type Scene = { home: string; random: Random; callers: Callers; program: Program }

/** Compares answers, ledger, events and chain with each other. */
export async function proveAftermath(scene: Scene): Promise<Aftermath> {
  const { home, callers, program } = scene
  const { api, chain } = openSite(home)
  const changedAnswers = await repeatAnswers(scene, api)
  const transfers = await readAll<Transfer>(api, '/v1/disbursements/crypto?')
  const treasury = readTreasury(home)
  const landings = [
    ...(await readLandings(chain, treasury, 'USDC')),
    ...(await readLandings(chain, treasury, 'USDT')),
  ]
  const acknowledged = [...callers.answers.values()].map(
    ({ text }) => JSON.parse(text).data.reference,
  )
  const listed = transfers.map(({ reference }) => reference)
  const confirmed = transfers.filter(({ status }) => status === 'CONFIRMED')
  const expected = {
    USDC: expectMoney(callers, confirmed, 'USDC'),
    USDT: expectMoney(callers, confirmed, 'USDT'),
  }
  const money = {
    USDC: await readMoney({ api, chain, treasury }, 'USDC'),
    USDT: await readMoney({ api, chain, treasury }, 'USDT'),
  }
  const wrongEvents = await findWrongEvents(api, transfers)
  const { code, out } = await runCommand(home, 'verify-ledger')
  program.signal('SIGINT')
  return {
    acknowledged: callers.answers.size,
    confirmed: confirmed.length,
    failed: transfers.filter(({ status }) => status === 'FAILED').length,
    signedAnew: transfers.filter(({ attempts }) => attempts.length > 1).length,
    changedAnswers,
    wrongEvents,
    money,
    expected,
    missing: differenceOf(acknowledged, listed),
    unexplained: differenceOf(listed, acknowledged),
    wrongLandings: findWrongLandings(transfers, landings),
    unknownLandings: findUnknown(transfers, landings, callers),
    verdict: { code, out },
    exitCode: (await program.ended).code,
  }
}

async function repeatAnswers({ random, callers }: Scene, api: Api): Promise<string[]> {
  const some = random.shuffle([...callers.answers]).slice(0, replayed)
  const changed: string[] = []
  for (const [key, { text }] of some) {
    const again = await api.post('/v1/disbursements/crypto', key, callers.requests.get(key)!)
    if (!again?.isReplayed || again.text !== text) changed.push(`${key}: ${again?.text}`)
  }
  return changed
}

function findWrongLandings(transfers: Transfer[], landings: Landing[]): string[] {
  const byMemo = groupBy(landings, ({ memo }) => memo ?? '')
  return transfers.flatMap((transfer) => {
    const { reference, status, transactionSignature, attempts } = transfer
    const all = byMemo.get(reference) ?? []
    const paid = all.filter(({ hasFailed }) => !hasFailed)
    const isOurs = all.every((one) => attempts.some((each) => each.signature === one.signature))
    const isPaid = paid.length === 1 && isExact(transfer, paid[0]!)
    const isRight =
      isOurs &&
      (status === 'CONFIRMED'
        ? isPaid && paid[0]!.signature === transactionSignature
        : status === 'FAILED' && paid.length === 0)
    return isRight ? [] : [JSON.stringify({ ...transfer, landed: all.map((one) => one.signature) })]
  })
}

function isExact({ asset, amount, destinationAddress }: Transfer, landing: Landing): boolean {
  const units = toUnits(amount)
  const received = landing.received.get(destinationAddress)
  return landing.asset === asset && landing.out === units && received === units
}

/** Incoming coins are exactly the fundings. */
function findUnknown(transfers: Transfer[], landings: Landing[], { funded }: Callers): string[] {
  const known = new Set(transfers.map(({ reference }) => reference))
  const strange = landings.filter(({ memo, out }) => out >= 0n && !known.has(memo ?? ''))
  const wrongSums = (['USDC', 'USDT'] as const).filter((coin) => {
    const came = landings.filter(({ asset, out }) => asset === coin && out < 0n)
    const isOnce = new Set(came.map(({ memo }) => memo)).size === came.length
    return !isOnce || came.reduce((sum, { out }) => sum - out, 0n) !== funded[coin] + demoFunding
  })
  return [...strange.map(({ signature }) => signature), ...wrongSums]
}

function expectMoney({ funded }: Callers, confirmed: Transfer[], coin: Coin): Money {
  const own = confirmed.filter(({ asset }) => asset === coin)
  const sum = (units: bigint[]) => units.reduce((total, each) => total + each, 0n)
  const all = funded[coin] + demoFunding
  return {
    available: all - sum(own.map(({ totalDebit }) => toUnits(totalDebit))),
    held: 0n,
    treasury: all - sum(own.map(({ amount }) => toUnits(amount))),
  }
}

async function readMoney(
  { api, chain, treasury }: { api: Api; chain: Rpc; treasury: string },
  coin: Coin,
): Promise<Money> {
  const { items } = await api.get('/v1/balances')
  const { available, held } = items.find(({ asset }: { asset: string }) => asset === coin)
  const account = await tokenAccountOf(treasury, mints[coin])
  const { value } = await chain.call('getTokenAccountBalance', account)
  return {
    available: toUnits(available),
    held: toUnits(held),
    treasury: BigInt(value.amount),
  }
}

/** Every transfer emitted one submitted and one final event, matching its status. */
async function findWrongEvents(api: Api, transfers: Transfer[]): Promise<string[]> {
  type Event = { type: string; data: Transfer }
  const events = await readAll<Event>(api, '/v1/events?type=crypto_transfer.*&')
  const byReference = groupBy(events, ({ data }) => data.reference)
  return transfers.flatMap(({ reference, status }) => {
    const types = (byReference.get(reference) ?? []).map(({ type }) => type).toSorted()
    const wanted = [`crypto_transfer.${status.toLowerCase()}`, 'crypto_transfer.submitted']
    return types.join() === wanted.join() ? [] : [`${reference}: ${types.join()}`]
  })
}

type Line = { signature: string; memo: string | null; err: unknown }
type Held = { owner: string; mint: string; uiTokenAmount: { amount: string } }

async function readLandings(chain: Rpc, treasury: string, coin: Coin): Promise<Landing[]> {
  const account = await tokenAccountOf(treasury, mints[coin])
  const landings: Landing[] = []
  for (let before: string | undefined; ; ) {
    const options = { commitment: 'confirmed', ...(before && { before }) }
    const lines = await chain.call<Line[]>('getSignaturesForAddress', account, options)
    for (let from = 0; from < lines.length; from += 50)
      landings.push(
        ...(await Promise.all(
          lines.slice(from, from + 50).map((line) => readLanding(chain, line, { treasury, coin })),
        )),
      )
    if (lines.length === 0) return landings
    before = lines.at(-1)!.signature
  }
}

async function readLanding(
  chain: Rpc,
  { signature, memo, err }: Line,
  { treasury, coin }: { treasury: string; coin: Coin },
): Promise<Landing> {
  const options = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 }
  const { meta } = await chain.call('getTransaction', signature, options)
  const [before, after] = [meta.preTokenBalances as Held[], meta.postTokenBalances as Held[]]
  const gains = new Map<string, bigint>()
  const note = ({ owner, mint, uiTokenAmount }: Held, sign: bigint) => {
    if (mint === mints[coin])
      gains.set(owner, (gains.get(owner) ?? 0n) + sign * BigInt(uiTokenAmount.amount))
  }
  for (const each of before) note(each, -1n)
  for (const each of after) note(each, 1n)
  return {
    asset: coin,
    signature,
    memo: memo?.replace(/^\[\d+\] /, '') ?? null,
    hasFailed: err !== null,
    out: -(gains.get(treasury) ?? 0n),
    received: gains,
  }
}

function readTreasury(home: string): string {
  const bytes = JSON.parse(readFileSync(path.join(home, 'test-treasury.json'), 'utf8')) as number[]
  return base58.encode(Uint8Array.from(bytes.slice(32)))
}

function toUnits(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

function groupBy<Item>(items: Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? []
    groups.set(keyOf(item), group)
    group.push(item)
  }
  return groups
}
