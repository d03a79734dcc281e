import { expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { FundFigures } from '../../src/operations/metrics/fund-figures.js'
import { logBankFindings, watchFloat } from '../../src/operations/metrics/watch-floats.js'
import { openWithProviders } from '../support/open-with-providers.js'

const { emulators, bankOf, db, clock } = await openWithProviders('paystack')
const bank = bankOf('paystack')

function openLog() {
  const lines: string[] = []
  return { lines, logger: createLogger('info', { write: (line) => lines.push(line) }) }
}

test('a float below its minimum is an error, one at the minimum is not', async () => {
  const { lines, logger } = openLog()
  emulators.paystack.setFloat(1_000_000n)
  const figures = new FundFigures()
  const tools = { db, clock, logger, figures }
  expect(await watchFloat(tools, { bank, floatMin: 1_000_000n })).toBe(0)
  expect(lines).toEqual([])
  expect(await watchFloat(tools, { bank, floatMin: 1_000_001n })).toBe(1)
  expect(figures.floats).toEqual([{ bank: 'paystack-test', naira: 10_000, minNaira: 10_000.01 }])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', bank: 'paystack-test', float: '₦10,000.00', min: '₦10,000.01' },
  ])
})

// The service must start, whatever its banks say.
test('what is wrong at a bank is logged with its fix, and an outage stops nothing', async () => {
  const { lines, logger } = openLog()
  for (const emulator of Object.values(emulators)) emulator.faults.down = 'unavailable'
  await logBankFindings(logger, [bank, bankOf('monnify'), bankOf('flutterwave')])
  const logged = lines.map((line) => JSON.parse(line))
  expect(new Set(logged.map((line) => line.bank))).toEqual(
    new Set(['paystack-test', 'monnify-test', 'flutterwave-test']),
  )
  for (const { msg, fix } of logged) {
    expect(msg).toMatch(/^bank setup: /)
    expect(fix).toBeTruthy()
  }
})
