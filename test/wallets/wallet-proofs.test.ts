import { describe, expect, test } from 'vitest'
import { verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import { sql } from '../../src/postgres/sql.js'
import { sweepWallets } from '../../src/wallets/sweep-wallets.js'
import { walletProofs } from '../../src/wallets/wallet-proofs.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'

// As in proofs.test.ts: each test damages a valid database, bypassing triggers, expects the proof to
// find it, and rolls back.

const service = await openWithWallets()
const { db, clock, logger, wallets } = service
await collect()

/** One deposit is swept, one is in a live sweep, and one is still in its wallet. */
async function collect(): Promise<void> {
  const shop = shopOf(service, service.merchant)
  const open = async () => (await shop.open()).json.data.address
  const pay = async () => {
    await shop.deposit(await open(), '25')
    await service.settle()
  }
  await pay()
  await service.sweep()
  await pay()
  await sweepWallets({ db, rail: wallets, clock, logger }, clock.now())
  await pay()
}

const rollback = new Error('undo the damage')

async function claimsBrokenBy(damage: string): Promise<string[]> {
  const broken: string[] = []
  const damaging = db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    const changed = await tx.rows({ text: `${damage} returning 1`, values: [] })
    expect(changed.length, 'the damage must change a row').toBeGreaterThan(0)
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
    'one more unit in the books': `update ledger_accounts set debits_posted = debits_posted + 1
      where name = 'deposits'`,
    'a missing payment': `delete from payments where id in (select id from payments limit 1)`,
  },
  [sweeps!]: {
    'a missing part': `delete from sweep_parts where is_live`,
    'a live part of a landed sweep': `update sweep_parts set is_live = true where not is_live`,
    'an ended part of a live sweep': 'update sweep_parts set is_live = false where is_live',
    'a sweep booked in another coin': `update sweeps set asset = 'USDT'
      where state = 'LANDED'`,
    'a landed sweep that is not booked': `delete from ledger_transfers where purpose = 'sweep'`,
    'a booking without a sweep': `insert into ledger_transfers select environment_id,
      gen_random_uuid(), purpose, asset, debit, credit, amount, is_hold, entry_number,
      available_after, created_at from ledger_transfers where purpose = 'sweep'`,
  },
  [accounts!]: {
    'an account without a wallet': `update wallets set address = 'another'
      where address in (select address from wallets limit 1)`,
  },
}

test('an undamaged database satisfies every claim', async () => {
  const findings = await verifyLedger(db)
  expect(findings.filter(({ counterexamples }) => counterexamples.length > 0)).toEqual([])
  const claims = walletProofs.map(({ claim }) => claim)
  expect(findings.map(({ claim }) => claim)).toEqual(expect.arrayContaining(claims))
  expect(Object.keys(damages)).toEqual(claims)
})

describe.each(Object.entries(damages))('%s', (claim, damagesOfClaim) => {
  test.each(Object.entries(damagesOfClaim))('is disproved by %s', async (_, damage) => {
    expect(await claimsBrokenBy(damage)).toContain(claim)
  })
})
