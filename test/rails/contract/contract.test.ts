import { afterAll, describe, test } from 'vitest'
import { noFaults } from '../../../emulators/faults.js'
import { providers } from '../../../src/base/config.js'
import { isLongRun } from '../../support/long-run.js'
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
import { secretScenarios } from './scenarios/secrets.js'
import { varianceScenarios } from './scenarios/variances.js'

/**
 * What every bank rail must keep, the sandbox bank included: each scenario is written once, runs
 * against the real service, and ends with sound books that equal those of the bank. In `npm test`
 * the banks take turns: each scenario runs with one provider that can run it, and every third one
 * with the sandbox bank, too. `npm run storm` runs every scenario with every bank.
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
  ...secretScenarios,
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

type Scenario = (typeof scenarios)[number]

const reasonAgainst = ({ needs }: Scenario, name: string) =>
  needs?.map((need) => worlds.get(name)!.bank.lacks[need]).find(Boolean)

/** Whose turn each scenario is. */
const turns = new Map(
  scenarios.map((scenario, index) => {
    const able = providers.filter((provider) => !reasonAgainst(scenario, provider))
    return [scenario, able[index % able.length]]
  }),
)
const isTurn = (scenario: Scenario, index: number, name: string) =>
  name === 'sandbox'
    ? index % 3 === 0 || turns.get(scenario) === undefined
    : turns.get(scenario) === name
const scenariosOf = (name: string) =>
  isLongRun ? scenarios : scenarios.filter((one, index) => isTurn(one, index, name))

const isWarning = (line: string) => ['warn', 'error'].includes(JSON.parse(line).level)

describe.each(banks.map(({ name }) => name))('%s', (name) => {
  const world = worlds.get(name)!
  const { bank } = world
  const planted = new Set<string>()

  test.for(scenariosOf(name).map((one) => [one.name, one] as const))(
    '%s',
    { timeout: 20_000 },
    async ([, scenario], { skip }) => {
      const cell = `${scenario.name}/${name}`
      const why = reasonAgainst(scenario, name)
      if (why) {
        results.set(cell, `not possible: ${why}`)
        return skip(why)
      }
      results.set(cell, 'FAIL')
      let note = ''
      const linesBefore = world.lines.length
      try {
        await scenario.run({
          ...world,
          plant: (reference) => planted.add(reference),
          note: (words) => {
            note = words
          },
        })
      } catch (error) {
        console.error(...world.lines.slice(linesBefore).filter(isWarning))
        throw error
      } finally {
        Object.assign(bank.faults, noFaults())
        world.relay.release()
      }
      await expectSameBooks(world, planted)
      results.set(cell, note ? `pass: ${note}` : 'pass')
    },
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
