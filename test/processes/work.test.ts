import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { noRateSources, readRateSources } from '../../src/base/rate-sources.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import type { JudgingLane, NoticeLane } from '../../src/collections/notices/notice-lanes.js'
import type { BankRail } from '../../src/collections/ports.js'
import { Rails } from '../../src/collections/rails.js'
import type { OpenRails } from '../../src/processes/open-rails.js'
import { createJobs } from '../../src/processes/work.js'
import { createSender } from '../../src/webhooks/deliveries/send.js'
import { standardNaira, standardRetention } from '../support/open-manilla.js'
import { PaperRail } from '../support/paper-rail.js'

// Two jobs for one rail would poll a bank or chain twice.
test('a rail for several kinds of payouts has each job once', () => {
  const [chain, live] = [new PaperRail('paper chain'), new PaperRail('live chain')]
  const bank = { name: 'paper bank', provider: 'paper' } as BankRail
  const opened: Partial<OpenRails> = {
    rails: new Rails({
      test: { chain, collectBank: bank, payoutBank: bank, banks: [bank] },
      live: { chain: live },
    }),
    mint: undefined,
    treasuries: [],
    floats: [],
  }
  const tools = {
    seal: createSeal(new Secret('s'.repeat(32))),
    clock: systemClock,
    logger: createLogger('silent'),
    lane: {} as JudgingLane,
    noticeLane: {} as NoticeLane,
    requestLogDays: 30,
    eventDays: 396,
    retention: standardRetention,
    naira: standardNaira,
    callbackSender: createSender({ clock: systemClock, allowsLoopback: false }),
    rates: noRateSources,
  }
  const names = createJobs(opened as OpenRails, tools).map(({ name }) => name)
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  const jobsOf = (rail: string) => names.filter((job) => job.endsWith(rail))
  for (const { name } of [chain, live])
    expect(jobsOf(name)).toEqual([`return payments on ${name}`, `poll payouts on ${name}`])
  expect(jobsOf('paper bank')).toEqual([
    'fetch payments without a notice from paper bank',
    'judge payments of paper bank',
    'confirm notices of paper bank',
    'return payments on paper bank',
    'poll payouts on paper bank',
    'poll reversals of paper bank',
  ])
  expect(names).not.toContain('read rates')
  const source = { name: 'a', asset: 'USDC', url: 'https://bank.example', rate: '/rate' }
  const rates = { ...noRateSources, sources: readRateSources(JSON.stringify([source]), {}) }
  const withRates = createJobs(opened as OpenRails, { ...tools, rates })
  expect(withRates.map(({ name }) => name)).toContain('read rates')
})
