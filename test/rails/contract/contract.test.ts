import { afterAll, describe, test } from 'vitest'
import { providers } from '../../../src/base/config.js'
import { noFaults } from '../../../src/simulation/emulators/faults.js'
import type { BankTools } from './bank-under-test.js'
import { openEmulatedBank } from './emulated-bank.js'
import { openWorld } from './open-world.js'
import { expectSameBooks } from './same-books.js'
import { openSandboxBank } from './sandbox-bank.js'
import { accountScenarios } from './scenarios/accounts.js'
import { directoryScenarios } from './scenarios/directory.js'
import { hostileScenarios } from './scenarios/hostile-notices.js'
import { noticeScenarios } from './scenarios/notices.js'
import { outageScenarios } from './scenarios/outages.js'
import { payoutScenarios } from './scenarios/payouts.js'
import { reconciliationScenarios } from './scenarios/reconciliation.js'
import { refundScenarios } from './scenarios/refunds.js'
import { varianceScenarios } from './scenarios/variances.js'

/**
 * What every bank rail must keep, the sandbox bank included: each scenario is written once, runs
 * against the real service, and ends with sound books that equal those of the bank.
 */

const scenarios = [
  ...accountScenarios,
  ...noticeScenarios,
  ...varianceScenarios,
  ...directoryScenarios,
  ...payoutScenarios,
  ...refundScenarios,
  ...hostileScenarios,
  ...outageScenarios,
  ...reconciliationScenarios,
]

const banks = [
  { name: 'sandbox', open: (tools: BankTools) => openSandboxBank(tools) },
  ...providers.map((provider) => ({
    name: provider,
    open: (tools: BankTools) => openEmulatedBank(provider, tools),
  })),
]

const worlds = new Map(
  await Promise.all(banks.map(async ({ name, open }) => [name, await openWorld(open)] as const)),
)
const results = new Map<string, string>()

describe.each(banks.map(({ name }) => name))('%s', (name) => {
  const world = worlds.get(name)!
  const { bank } = world
  const planted = new Set<string>()

  test.each(scenarios.map((one) => [one.name, one] as const))(
    '%s',
    async (_, scenario) => {
      const cell = `${scenario.name}/${name}`
      const why = scenario.needs?.map((need) => bank.lacks[need]).find(Boolean)
      if (why) {
        results.set(cell, `not possible: ${why}`)
        return
      }
      results.set(cell, 'FAIL')
      let note: string | undefined | void
      try {
        note = await scenario.run({ ...world, plant: (reference) => planted.add(reference) })
      } finally {
        Object.assign(bank.faults, noFaults())
        world.relay.release()
      }
      await expectSameBooks(world, planted)
      results.set(cell, note ? `pass: ${note}` : 'pass')
    },
    20_000,
  )
})

afterAll(() => {
  const header = ['scenario', ...banks.map(({ name }) => name)]
  const rows = scenarios.map((scenario) => [
    scenario.name,
    ...banks.map((bank) => results.get(`${scenario.name}/${bank.name}`) ?? '-'),
  ])
  const lines = [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  console.log(lines.join('\n'))
})
