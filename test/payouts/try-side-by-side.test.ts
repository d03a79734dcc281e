import { expect, test } from 'vitest'
import { limits } from '../../src/base/limits.js'
import { Refusal } from '../../src/base/refusal.js'
import { createSideBySide } from '../../src/payouts/try-side-by-side.js'

const short = new Refusal('crypto_transfer_failed', { reason: 'treasury_short', message: 'short' })
const poor = new Refusal('insufficient_balance', { message: 'poor' })

test('who finds the wallet short waits for those beside it, and tries again', async () => {
  const trySideBySide = createSideBySide()
  let end = (_: string) => {}
  const first = trySideBySide({ attempt: () => new Promise<string>((resolve) => (end = resolve)) })
  let isFree = false
  const second = trySideBySide({ attempt: async () => (isFree ? 'second' : short) })
  await new Promise((resolve) => setImmediate(resolve))
  isFree = true
  end('first')
  expect(await Promise.all([first, second])).toEqual(['first', 'second'])
})

test('when those beside it have taken the balance, that is the answer', async () => {
  const trySideBySide = createSideBySide()
  let isTaken = false
  const first = trySideBySide({
    attempt: async () => {
      await new Promise((resolve) => setImmediate(resolve))
      isTaken = true
      return 'first'
    },
  })
  const second = trySideBySide({
    attempt: async () => short,
    findOther: async () => (isTaken ? poor : undefined),
  })
  expect(await Promise.all([first, second])).toEqual(['first', poor])
})

test('alone, it is short when it was looked at twice; in company, after a while', async () => {
  const trySideBySide = createSideBySide()
  let looks = 0
  const attempt = async () => {
    looks += 1
    return short
  }
  expect(await trySideBySide({ attempt })).toBe(short)
  expect(looks).toBe(2)

  const company = setInterval(() => {
    trySideBySide({ attempt: () => new Promise<void>((resolve) => setTimeout(resolve, 3)) })
  }, 1)
  looks = 0
  expect(await trySideBySide({ attempt })).toBe(short)
  clearInterval(company)
  expect(looks).toBeLessThanOrEqual(limits.payouts.shortLooks)
})

test('what fails ends with its error, and nobody waits for it any longer', async () => {
  const trySideBySide = createSideBySide()
  const failing = trySideBySide({ attempt: () => Promise.reject(new Error('a bug')) })
  const other = trySideBySide({ attempt: async () => short })
  await expect(failing).rejects.toThrow('a bug')
  expect(await other).toBe(short)
})
