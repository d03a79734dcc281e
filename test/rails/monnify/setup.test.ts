import { describe, expect, test } from 'vitest'
import { hour, minute } from '../../../src/base/clock.js'
import { manualClock } from '../../support/clock.js'
import { freshDatabase } from '../../support/database.js'
import { openRail, prepare, transferOf } from './open-rail.js'

const db = await freshDatabase()

describe('tokens', () => {
  test('are renewed when they expire', async () => {
    const { rail, clock } = await openRail(db)
    expect(await rail.readFloat()).toBe(1_000_000_000_00n)
    clock.advance(59 * minute + 1)
    expect(await rail.readFloat()).toBe(1_000_000_000_00n)
    clock.advance(2 * hour)
    expect(await rail.readFloat()).toBe(1_000_000_000_00n)
  })

  test('are renewed when the provider ends them early', async () => {
    const atProvider = manualClock()
    const { rail } = await openRail(db, { clock: atProvider })
    await rail.readFloat()
    atProvider.advance(2 * hour)
    const floats = await Promise.all([1, 2, 3].map(() => rail.readFloat()))
    expect(floats).toEqual([1_000_000_000_00n, 1_000_000_000_00n, 1_000_000_000_00n])
  })

  test('wrong keys are named, and appear nowhere', async () => {
    const { rail, logged } = await openRail(db, { secretKey: 'not-the-secret' })
    const [finding] = await rail.examine()
    expect(finding).toMatchObject({ level: 'failure', message: expect.stringContaining('refuses') })
    const target = transferOf(100_00n)
    expect(await rail.inspect([target])).toMatchObject([{ reason: 'rail_unavailable' }])
    expect(logged.join() + JSON.stringify(finding)).not.toContain('not-the-secret')
  })
})

describe('examination', () => {
  test('says what works and what cannot be seen', async () => {
    const { rail, emulator, logged } = await openRail(db)
    const findings = await rail.examine()
    expect(findings.every(({ level }) => level === 'ok')).toBe(true)
    const words = findings.map(({ message }) => message).join('\n')
    expect(words).toMatch(/lists \d+ banks/)
    expect(words).toContain('₦1,000,000,000.00')
    expect(words).toContain('underpayment, latePayment')
    const secrets = [emulator.variables.MONNIFY_SECRET_KEY!, emulator.variables.MONNIFY_API_KEY!]
    for (const secret of secrets) expect(words + logged.join()).not.toContain(secret)
  })

  test('names an empty wallet and OTP', async () => {
    const { rail, emulator } = await openRail(db)
    emulator.faults.asksForOtp = true
    await rail.send([await prepare(rail, transferOf(100_00n))])
    emulator.setFloat(0n)
    expect(await rail.examine()).toMatchObject([
      { level: 'ok' },
      { level: 'warning', message: expect.stringContaining('empty') },
      { level: 'failure', message: expect.stringContaining('one-time password') },
      { level: 'ok' },
      { level: 'ok' },
    ])
  })

  test('an outage is a failure with a fix', async () => {
    const { rail, emulator } = await openRail(db)
    emulator.faults.down = 'unavailable'
    expect(await rail.examine()).toMatchObject([{ level: 'failure' }])
  })
})
