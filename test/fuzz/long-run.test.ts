import { afterAll, expect, test } from 'vitest'
import { magicWallets } from '../../src/simulation/magic-wallets.js'
import { magicAccounts } from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { magicReferences } from '../../src/simulation/sandbox-bank/magic-references.js'
import {
  createHome,
  isRunning,
  type Program,
  readDemo,
  removeHome,
  startProgram,
} from '../support/program.js'
import { seedOf } from '../support/seed.js'
import { fuzz } from './fuzz.js'
import { type Document, listOperations } from './operations.js'
import { summarize } from './summarize.js'

/**
 * `npm run fuzz`: against a real service with bank and chain, in its own folder. FUZZ_CASES is the
 * number of requests, SEED selects them, FUZZ_MINUTES limits the time.
 */

const cases = Number(process.env.FUZZ_CASES ?? 0)
const ms = Number(process.env.FUZZ_MINUTES ?? 30) * 60_000
const seed = seedOf('fuzz')

const home = createHome()
let program: Program | undefined
afterAll(async () => {
  if (program && isRunning(program.pid)) program.signal('SIGINT')
  await program?.ended
  await removeHome(home)
})

test.runIf(cases > 0)(
  'a service keeps every promise of its document',
  {
    timeout: ms + 120_000,
  },
  async () => {
    program = await startProgram(home, {
      RATE_LIMIT_PER_SECOND: '0',
      PUBLIC_RATE_LIMIT_PER_SECOND: '200',
    })
    const { baseUrl: url, test: own, live } = readDemo(home)
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
    console.log(`fuzz: SEED=${seed}, ${cases} requests to come`)
    const report = await fuzz(
      {
        url,
        document,
        keys: {
          secret: own.secretKey,
          public: own.publicKey,
          liveSecret: live.secretKey,
          livePublic: live.publicKey,
        },
      },
      { cases, seed, ms },
      {
        accountNumber: magicAccounts.map(({ number }) => number),
        destinationAddress: magicWallets.map(({ address }) => address),
        merchantReference: magicReferences.map(({ purpose }) => purpose),
        externalReference: magicReferences.map(({ purpose }) => purpose),
      },
    )
    console.log(summarize(report))
    if (process.env.FUZZ_TABLE) console.table(toRows(report.met))
    expect(report.troubles).toEqual([])
    expect(report.cases).toBeGreaterThanOrEqual(cases)
    // Statistics of this run only.
    console.log(`never succeeded: ${unreached(report.met, document).join(', ')}`)
  },
)

function unreached(met: Map<string, Map<number, number>>, document: Document): string[] {
  const names = listOperations(document).map(({ method, path }) => `${method} ${path}`)
  const hasSucceeded = (name: string) =>
    [...(met.get(name)?.keys() ?? [])].some((status) => status < 300)
  return names.filter((name) => !hasSucceeded(name))
}

function toRows(met: Map<string, Map<number, number>>) {
  return Object.fromEntries(
    [...met].map(([name, statuses]) => [name, Object.fromEntries(statuses)]),
  )
}
