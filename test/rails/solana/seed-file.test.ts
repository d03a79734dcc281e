import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { readConfig } from '../../../src/base/config.js'
import { modes } from '../../../src/base/environment.js'
import { createLogger } from '../../../src/base/log.js'
import type * as builtDatabase from '../../../src/postgres/database.js'
import type { Database } from '../../../src/postgres/database.js'
import type * as built from '../../../src/processes/open-rails.js'
import { makeMnemonic } from '../../../src/rails/solana/keys/seed.js'
import { loadBuilt, shareChain } from '../../simulation/localnet/localnet.js'
import { freshDatabase } from '../../support/database.js'
import { until } from '../../support/sessions.js'
import { newSecret } from './rail.js'

/** The seed of the deposit wallets is read from a file and appears nowhere else. */

const db = await freshDatabase()
const shared = shareChain()
const { openRails, borrowRails } = (await loadBuilt('dist/processes/open-rails.js')) as typeof built
// The built rails write SQL with the built tag, which only the built database recognizes.
const { Database: BuiltDatabase } = (await loadBuilt(
  'dist/postgres/database.js',
)) as typeof builtDatabase
const railsDb = new BuiltDatabase(db.url, () => {})
afterAll(() => railsDb.close())

function newHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

function newTools(variables: Record<string, string>) {
  const lines: string[] = []
  const logger = createLogger('trace', { write: (line) => lines.push(line) })
  return {
    lines,
    tools: { db: railsDb, clock: systemClock, logger, config: readConfig(variables) },
  }
}

async function dumpRows(database: Database): Promise<string> {
  const named = await database.rows<{ name: string }>({
    text: `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
    values: [],
  })
  const dumps = named.map(({ name }) =>
    database.rows<{ text: string }>({ text: `select t::text as text from ${name} t`, values: [] }),
  )
  return (await Promise.all(dumps))
    .flat()
    .map(({ text }) => text)
    .join('\n')
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** Single words occur anywhere by chance; two in sequence do not. */
function pairsIn(words: string): string[] {
  const list = words.trim().split(/\s+/)
  return list.slice(1).map((word, index) => `${list[index]} ${word}`)
}

function expectNoWordsOf(text: string, words: string): void {
  for (const pair of pairsIn(words)) expect(text.includes(pair)).toBe(false)
}

test('the embedded chain creates a seed at its first start and keeps it', async () => {
  const home = newHome()
  const { tools, lines } = newTools({ MANILLA_HOME: home })
  const first = await openRails(tools)
  onTestFinished(() => first.close())
  const file = path.join(home, 'test-seed.txt')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const words = readFileSync(file, 'utf8')
  expect(words.trim().split(' ')).toHaveLength(24)
  expect(first.rails.walletsOf('live')).toBeUndefined()
  const rail = first.rails.walletsOf('test')
  const derived = await rail!.deriveWallets([0, 1])
  const tokenAccount = derived[0]!.tokenAccounts.USDC
  const deposit = { key: 'a', address: derived[0]!.address, asset: 'USDC', amount: 5n } as const
  const signature = await first.localnetPayers!.deposit(deposit)
  expect(await first.localnetPayers!.deposit(deposit)).toBe(signature)
  await until(async () => (await rail!.readAmounts([tokenAccount]))[0] === 5n)
  expect(await rail!.readMoves([{ tokenAccount, after: null }])).toMatchObject([
    { moves: [{ change: 5n }] },
  ])

  const borrowed = await borrowRails(tools, first.localnet!.url)
  expect(await borrowed.rails.walletsOf('test')!.deriveWallets([0, 1])).toEqual(derived)
  expect(borrowed.rails.walletsOf('test')!.name).toBe(rail!.name)
  await borrowed.close()
  const part = { walletNumber: 0, wallet: derived[1]!.address, tokenAccount, amount: 1n }
  const parts = [{ ...part, isClosing: true }]
  await rail!.prepareSweeps([{ reference: 'a sweep', asset: 'USDC', parts }])
  await first.close()
  const again = await openRails(tools)
  onTestFinished(() => again.close())
  expect(await again.rails.walletsOf('test')!.deriveWallets([0, 1])).toEqual(derived)

  expect(lines.join('')).toContain('the wallet signer failed for a sweep')
  expectNoWordsOf(lines.join(''), words)
  expectNoWordsOf(await dumpRows(db), words)
  for (const other of filesUnder(home).filter((each) => each !== file))
    expectNoWordsOf(readFileSync(other, 'latin1'), words)
})

const chainOf = (url: string) => ({
  DATABASE_URL: 'postgres://nobody',
  MANILLA_SECRET: 's'.repeat(32),
  SOLANA_TEST_RPC_URLS: url,
  SOLANA_TEST_SECRET_KEY: newSecret().reveal(),
})

test('a mode has wallets only with a seed file', async () => {
  const without = await openRails(newTools(chainOf(shared().url)).tools)
  onTestFinished(() => without.close())
  for (const mode of modes) expect(without.rails.walletsOf(mode)).toBeUndefined()
  expect(without.localnetPayers).toBeUndefined()
  const file = path.join(newHome(), 'seed')
  writeFileSync(file, `${'abandon '.repeat(11)}about`)
  const { tools } = newTools({ ...chainOf(shared().url), SOLANA_TEST_SEED_FILE: file })
  const opened = await openRails(tools)
  onTestFinished(() => opened.close())
  const [wallet] = await opened.rails.walletsOf('test')!.deriveWallets([0])
  expect(wallet!.address).toBe('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk')
})

test('the service does not start with an invalid seed or a seed without a chain', async () => {
  const file = path.join(newHome(), 'seed')
  const words = makeMnemonic().reveal()
  writeFileSync(file, words.replace(/^\w+/, 'swordfish'))
  const { tools, lines } = newTools({ ...chainOf(shared().url), SOLANA_TEST_SEED_FILE: file })
  const refused = await openRails(tools).catch((error: Error) => error)
  expect(refused).toBeInstanceOf(Error)
  expectNoWordsOf(`${(refused as Error).stack}${lines.join('')}`, words)
  expect((refused as Error).message).not.toContain('swordfish')
  expect(() => readConfig({ SOLANA_LIVE_SEED_FILE: file })).toThrow('SOLANA_LIVE_RPC_URLS')
  expect(() => readConfig({ SOLANA_TEST_SEED_FILE: file })).toThrow('SOLANA_TEST_RPC_URLS')
})
