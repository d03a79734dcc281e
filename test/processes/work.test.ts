import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { noRateSources, readRateSources } from '../../src/base/rate-sources.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import type { JudgingLane, NoticeLane } from '../../src/collections/notices/notice-lanes.js'
import type { OpenRails } from '../../src/processes/open-rails.js'
import { createJobs } from '../../src/processes/work.js'
import { noBanks, standardNaira } from '../support/open-manilla.js'
import { PaperRail } from '../support/paper-rail.js'

// Two jobs for one rail would poll a bank or chain twice.
test('a rail for several kinds of payouts has each job once', () => {
  const [chain, live, bank] = [
    new PaperRail('paper chain'),
    new PaperRail('live chain'),
    new PaperRail('paper bank'),
  ]
  const opened: Partial<OpenRails> = {
    rails: {
      test: {
        crypto_transfer: chain,
        crypto_return: chain,
        bank_transfer: bank,
        bank_return: bank,
      },
      live: { crypto_transfer: live, crypto_return: live },
    },
    mint: undefined,
    treasuries: [],
    floats: [],
    allBanks: noBanks,
    collectionRails: { test: undefined, live: undefined },
    wallets: { test: undefined, live: undefined },
  }
  const tools = {
    seal: createSeal(new Secret('s'.repeat(32))),
    clock: systemClock,
    logger: createLogger('silent'),
    lane: {} as JudgingLane,
    noticeLane: {} as NoticeLane,
    requestLogDays: 30,
    eventDays: 396,
    naira: standardNaira,
    rates: noRateSources,
  }
  const names = createJobs(opened as OpenRails, tools).map(({ name }) => name)
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  for (const { name } of [chain, live, bank])
    expect(names.filter((job) => job.endsWith(name))).toEqual([
      `return payments on ${name}`,
      `poll payouts on ${name}`,
    ])
  expect(names).not.toContain('read rates')
  const source = { name: 'a', asset: 'USDC', url: 'https://bank.example', rate: '/rate' }
  const rates = { ...noRateSources, sources: readRateSources(JSON.stringify([source]), {}) }
  const withRates = createJobs(opened as OpenRails, { ...tools, rates })
  expect(withRates.map(({ name }) => name)).toContain('read rates')
})
