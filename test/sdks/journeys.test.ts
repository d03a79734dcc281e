import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createHome,
  isRunning,
  type Program,
  readDemo,
  removeHome,
  startProgram as startService,
} from '../support/program.js'
import { findSdks, startProgram } from './drivers.js'
import { readBlocks, runReadme } from './run-readme.js'

/** Every SDK takes money through one service, and its README works when pasted, as README.md says. */

const steps = [
  'listen',
  'account',
  'pay',
  'webhook',
  'refund',
  'payout',
  'batch',
  'conversion',
  'list',
]

const { present, missing } = findSdks()
/** Compiling Go for the first time takes most of it. */
const journeyMaxMs = 180_000

const home = createHome()
let service: Program
beforeAll(async () => {
  service = await startService(home)
})
afterAll(async () => {
  if (isRunning(service.pid)) service.signal('SIGTERM')
  await service.ended
  await removeHome(home)
  for (const language of missing) console.log(`Not installed, so no journey: ${language}.`)
})

const travellers = present.filter(({ journey }) => journey.length > 0)

describe.each(travellers.map((sdk) => [sdk.language, sdk] as const))('%s', (language, sdk) => {
  test('creates, receives, refunds, pays out, converts and lists', async () => {
    const { baseUrl, test: keys } = readDemo(home)
    const program = startProgram(sdk, sdk.journey, {
      MANILLA_URL: baseUrl,
      MANILLA_KEY: keys.secretKey,
      JOURNEY: language.toLowerCase(),
    })
    const timer = setTimeout(() => program.kill('SIGKILL'), journeyMaxMs)
    const closed = new Promise((resolve) => program.on('close', resolve))
    program.stdin.end()
    const beganMs = performance.now()
    const [out, err] = await Promise.all([text(program.stdout), text(program.stderr)])
    const took = Math.round(performance.now() - beganMs)
    clearTimeout(timer)
    expect([await closed, err]).toEqual([0, ''])
    const lines = out.trim().split('\n')
    expect(lines.filter((line) => !/^\S+ \d+ ms\b/.test(line))).toEqual([])
    expect(lines.map((line) => line.split(' ')[0])).toEqual(steps)
    const times = lines.map((line) => line.split(' ').slice(0, 3).join(' ')).join(', ')
    process.stdout.write(`${language}: ${took} ms (${times})\n`)
  }, 200_000)

  test.skipIf(sdk.readmeTest)(
    'has a README that works word for word',
    async () => {
      const { baseUrl, test: keys } = readDemo(home)
      const { notRun, neverRun, weird } = readBlocks(sdk.folder)
      expect([neverRun, weird]).toEqual([[], []])
      for (const block of notRun) console.log(block)
      const { code, output } = await runReadme(sdk, {
        MANILLA_URL: baseUrl,
        MANILLA_KEY: keys.secretKey,
        WEBHOOK_SECRET: `whsec_${'c2VjcmV0IG9mIGEgUkVBRE1F'}`,
      })
      expect(code, output).toBe(0)
      // Every README prints its first payout.
      expect(output).toMatch(/\bbt_\w{20}/)
    },
    200_000,
  )
})
