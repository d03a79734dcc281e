import { describe, expect, test } from 'vitest'
import { verifyLedger } from '../../src/operations/verify-ledger.js'
import { sql } from '../../src/postgres/sql.js'
import { sweepWallets } from '../../src/wallets/sweep-wallets.js'
import { walletProofs } from '../../src/wallets/wallet-proofs.js'
import { openWalletHouse, shopOf } from '../support/wallet-house.js'

// As in proofs.test.ts: a sound database is damaged, past all triggers, and what was damaged is
// named. What a transaction breaks is never committed.

const house = await openWalletHouse()
const { db, clock, logger, wallets } = house
await collect()

/** Coins that were swept, coins in a sweep that is under way, and coins that lie in a wallet. */
async function collect(): Promise<void> {
  const shop = shopOf(house, house.merchant)
  const open = async () => (await shop.open()).json.data.address
  const pay = async () => {
    await shop.deposit(await open(), '25')
    await house.settle()
  }
  await pay()
  await house.sweep()
  await pay()
  await sweepWallets({ db, rail: wallets, clock, logger }, clock.now())
  await pay()
}

const rollback = new Error('so that the next one finds a sound database')

async function claimsBrokenBy(damage: string): Promise<string[]> {
  const broken: string[] = []
  const damaging = db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    const changed = await tx.rows({ text: `${damage} returning 1`, values: [] })
    expect(changed.length, 'a damage that hits nothing would prove nothing').toBeGreaterThan(0)
    for (const { claim, counterexamples } of walletProofs)
      if ((await tx.rows({ text: counterexamples, values: [] })).length > 0) broken.push(claim)
    throw rollback
  })
  await expect(damaging).rejects.toBe(rollback)
  return broken
}

const [deposits, sweeps, accounts] = walletProofs.map(({ claim }) => claim)

const damages: Record<string, Record<string, string>> = {
  [deposits!]: {
    'a coin more in the books': `update ledger_accounts set debits_posted = debits_posted + 1
      where name = 'deposits'`,
    'a payment that nobody made': `delete from payments where id in (select id from payments limit 1)`,
  },
  [sweeps!]: {
    'a part that is gone': `delete from sweep_parts where is_live`,
    'a part that is still live': `update sweep_parts set is_live = true where not is_live`,
    'a live sweep whose part has ended': 'update sweep_parts set is_live = false where is_live',
    'a sweep of another coin than was booked': `update sweeps set asset = 'USDT'
      where state = 'LANDED'`,
    'a landing that was not booked': `delete from ledger_transfers where purpose = 'sweep'`,
    'a booking of nothing': `insert into ledger_transfers select environment_id,
      gen_random_uuid(), purpose, asset, debit, credit, amount, is_hold, entry_number,
      available_after, created_at from ledger_transfers where purpose = 'sweep'`,
  },
  [accounts!]: {
    'a wallet that no seed has': `update wallets set address = 'another'
      where address in (select address from wallets limit 1)`,
  },
}

test('a database that nobody has damaged proves every claim', async () => {
  const findings = await verifyLedger(db)
  expect(findings.filter(({ counterexamples }) => counterexamples.length > 0)).toEqual([])
  const claims = walletProofs.map(({ claim }) => claim)
  expect(findings.map(({ claim }) => claim)).toEqual(expect.arrayContaining(claims))
  expect(Object.keys(damages)).toEqual(claims)
})

describe.each(Object.entries(damages))('%s', (claim, ways) => {
  test.each(Object.entries(ways))('is disproved by %s', async (_, damage) => {
    expect(await claimsBrokenBy(damage)).toContain(claim)
  })
})
