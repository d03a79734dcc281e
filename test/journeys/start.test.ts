import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { AuthenticationError, Manilla } from '../../sdk/src/manilla.js'
import type { Document } from '../fuzz/operations.js'
import { sendExamples } from '../fuzz/send-examples.js'
import { isLongRun } from '../support/long-run.js'
import {
  createHome,
  isRunning,
  type Program,
  postgresOf,
  readDemo,
  removeHome,
  runCommand,
  spawnStart,
  startProgram,
} from '../support/program.js'
import { until } from '../support/sessions.js'
import { trackPrograms } from '../support/track-programs.js'

/** One service folder through its life, in the order of the tests. */
const home = createHome()
const programs = trackPrograms(home)

async function start(): Promise<Program> {
  const program = await startProgram(home)
  programs.push(program)
  return program
}

async function stop(program: Program, signal: NodeJS.Signals = 'SIGINT') {
  program.signal(signal)
  return program.ended
}

/** The URL changes with every start. */
function clientWith(key: string): Manilla {
  return new Manilla(key, { baseUrl: readDemo(home).baseUrl })
}

async function readBalances(key = readDemo(home).test.secretKey) {
  const balances = await clientWith(key).balances.list()
  return balances.map(({ available }) => available)
}

async function fund(amount: number): Promise<void> {
  const { test: keys } = readDemo(home)
  const funding = await clientWith(keys.secretKey).test.fund({ asset: 'NGN', amount })
  expect(funding).toMatchObject({ asset: 'NGN', amount })
}

let running: Program
const keysOf = ({ test: { ...keys }, live }: ReturnType<typeof readDemo>) => ({ keys, live })
let firstKeys: ReturnType<typeof keysOf>

describe('the first start', () => {
  test('prints a URL, keys and a first request that works when pasted', async () => {
    running = await start()
    const text = running.text()
    const demo = readDemo(home)
    firstKeys = keysOf(demo)
    expect(text).toContain(demo.baseUrl)
    expect(text).toContain(demo.test.secretKey)
    expect(text).toContain(demo.test.publicKey)
    expect(text).toContain(path.join(home, 'demo.json'))
    expect(text).not.toMatch(/Warning/)

    const [curl] = /curl .*/.exec(text)!
    const answer = JSON.parse(execFileSync('/bin/sh', ['-c', `${curl} --silent`]).toString())
    expect(answer.data.items).toEqual([
      { asset: 'NGN', available: 500_000_000, held: 0, pending: 0 },
      { asset: 'USDC', available: '10000', held: '0', pending: '0' },
      { asset: 'USDT', available: '10000', held: '0', pending: '0' },
    ])
  })

  test('reports the API and its worker on one port', async () => {
    const [url] = /http\S+\/metrics/.exec(running.text())!
    const text = await (await fetch(url)).text()
    expect(text).toMatch(/^manilla_workers 1$/m)
    expect(text).toMatch(/^manilla_job_runs_total\{job="expire accounts"\} [1-9]/m)
    expect(text).toMatch(/^manilla_http_requests_total/m)
  })

  test('saves live keys in a file readable by its owner only', () => {
    const demo = readDemo(home)
    expect(Object.keys(demo)).toEqual(['baseUrl', 'solanaRpcUrl', 'merchant', 'test', 'live'])
    for (const mode of ['test', 'live'] as const) {
      expect(demo[mode].secretKey).toMatch(new RegExp(`^sk_${mode}_`))
      expect(demo[mode].publicKey).toMatch(new RegExp(`^pk_${mode}_`))
    }
    expect(running.text()).not.toMatch(/[sp]k_live_/)
    for (const file of ['demo.json', 'secret'])
      expect(statSync(path.join(home, file)).mode & 0o777).toBe(0o600)
  })

  test('has an empty live environment', async () => {
    expect(await readBalances(readDemo(home).live.secretKey)).toEqual([0, '0', '0'])
  })

  test('refuses a second service on the same folder and names the first', async () => {
    const second = spawnStart(home)
    programs.push(second)
    expect((await second.ended).code).toBe(1)
    expect(second.text().trim()).toBe(
      `Manilla is already running on ${home} (process ${running.pid}). Stop it first, or choose another folder: MANILLA_HOME=/some/folder npm start`,
    )
    await fund(1)
  })
})

test('a start on a port in use fails in one line, before a database is created', async () => {
  const other = createHome()
  const { port } = new URL(readDemo(home).baseUrl)
  const late = spawnStart(other, { PORT: port })
  expect(await late.ended).toMatchObject({ code: 1 })
  const next = Number(port) + 1
  expect(late.text()).toBe(`Port ${port} is in use. Choose another: PORT=${next} npm start\n`)
  expect(existsSync(path.join(other, 'data'))).toBe(false)
  await removeHome(other)
})

describe('commands beside a running service', () => {
  test('share the database of the service', async () => {
    const created = await runCommand(home, 'merchants', 'create', 'Bola Foods', '--json')
    expect([created.code, created.err]).toEqual([0, ''])
    const { reference, keys } = JSON.parse(created.out)
    const [secret] = keys as { key: string; reference: string; kind: string }[]
    const bola = clientWith(secret!.key)
    expect((await bola.profile.get()).merchant.id).toBe(reference)

    const credit = [
      '--mode',
      'live',
      '--asset',
      'NGN',
      '--amount',
      '12.34',
      '--note',
      'by hand',
      '--yes',
    ]
    const live = ['--mode', 'live', '--kind', 'secret', '--name', 'Till']
    const [credited, issued, revoked] = await Promise.all([
      runCommand(home, 'balances', 'credit', reference, ...credit),
      runCommand(home, 'keys', 'create', reference, ...live, '--json'),
      runCommand(home, 'keys', 'revoke', secret!.reference),
    ])
    for (const said of [credited, issued, revoked]) expect([said.code, said.err]).toEqual([0, ''])
    const { key } = JSON.parse(issued.out)
    expect((await readBalances(key))[0]).toBe(1_234)

    await until(async () => {
      const error = await bola.profile.get().catch((thrown) => thrown)
      return error instanceof AuthenticationError
    })
  })

  test('call the API as the demo merchant, and doctor finds no problems', async () => {
    const [asked, examined] = await Promise.all([
      runCommand(home, 'balances', 'list', '--json'),
      runCommand(home, 'doctor', '--json'),
    ])
    expect([asked.code, JSON.parse(asked.out)[0].asset]).toEqual([0, 'NGN'])
    const { isHealthy, checks } = JSON.parse(examined.out)
    expect([examined.code, isHealthy], examined.out).toEqual([0, true])
    const names = checks.map(({ check }: { check: string }) => check)
    const expected = ['Service', 'Database', 'Clock', 'Workers', 'Solana (test)', 'Treasury (test)']
    expect(names).toEqual(expect.arrayContaining(expected))
  })

  // A mistyped folder would be an empty service without problems.
  test('refuse a folder without a service and create none', async () => {
    const nowhere = path.join(home, 'nowhere')
    const commands = isLongRun ? [['notices', 'open'], ['reconcile']] : []
    for (const words of [['verify-ledger'], ...commands]) {
      const said = await runCommand(nowhere, ...words)
      expect([said.code, said.out]).toEqual([1, ''])
      expect(said.err).toContain('No service found in')
    }
    expect((await runCommand(nowhere, 'doctor')).code).toBe(1)
    expect(existsSync(nowhere)).toBe(false)
  })

  test('verify the ledger, report errors in one line, and leave the service running', async () => {
    const [proof, wrong] = await Promise.all([
      runCommand(home, 'verify-ledger', '--json'),
      runCommand(home, 'balances', 'show', 'mer_unknown', '--mode', 'test'),
    ])
    expect([proof.code, JSON.parse(proof.out).isClean]).toEqual([0, true])
    expect(wrong).toEqual({ code: 1, out: '', err: 'error: No merchant mer_unknown exists.\n' })
    expect(postgresOf(home)).toBeDefined()
    expect(await readBalances()).toEqual([500_000_001, '10000', '10000'])
  })
})

describe('stopping and starting', () => {
  test('Ctrl-C ends everything and leaves no process', async () => {
    const postgres = postgresOf(home)!
    expect(await stop(running)).toEqual({ code: 0, signal: null })
    expect(running.text()).toContain('Stopped. All data is on disk.')
    expect([running.pid, postgres].filter(isRunning)).toEqual([])
    await expect(fetch(readDemo(home).baseUrl)).rejects.toThrow()
  })

  test('commands work without a running service and leave no process', async () => {
    const demo = readDemo(home)
    const shown = await runCommand(
      home,
      'balances',
      'show',
      demo.merchant.id,
      '--mode',
      'test',
      '--json',
    )
    expect(shown.err).toBe('')
    expect(JSON.parse(shown.out)[0]).toEqual({
      asset: 'NGN',
      available: '5000000.01',
      held: '0',
      pending: '0',
    })
    expect(postgresOf(home)).toBeUndefined()
  })

  test('a second start keeps keys and balances', async () => {
    running = await start()
    expect(keysOf(readDemo(home))).toEqual(firstKeys)
    expect(await readBalances()).toEqual([500_000_001, '10000', '10000'])
    expect(running.text()).toContain(readDemo(home).baseUrl)
  })

  // The process is killed under load; the next start takes over its database.
  test('after kill -9 every acknowledged write exists', async () => {
    const postgres = postgresOf(home)
    await fund(2)
    expect((await stop(running, 'SIGKILL')).signal).toBe('SIGKILL')
    running = await start()
    expect(postgresOf(home)).toBe(postgres)
    expect(keysOf(readDemo(home))).toEqual(firstKeys)
    expect(await readBalances()).toEqual([500_000_003, '10000', '10000'])
  })

  test('after kill -9 of the database too', async () => {
    await fund(4)
    const postgres = postgresOf(home)!
    process.kill(postgres, 'SIGKILL')
    running.signal('SIGKILL')
    await running.ended
    await until(() => !isRunning(postgres))
    running = await start()
    expect(await readBalances()).toEqual([500_000_007, '10000', '10000'])
    const proof = await runCommand(home, 'verify-ledger')
    expect([proof.code, proof.out.includes('The ledger is consistent.')]).toEqual([0, true])
  })

  test.runIf(isLongRun)(
    'it answers the example of every operation as the API description promises',
    async () => {
      const { baseUrl: url, test: own, live } = readDemo(home)
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
      const keys = {
        secret: own.secretKey,
        public: own.publicKey,
        liveSecret: live.secretKey,
        livePublic: live.publicKey,
      }
      const answers = await sendExamples({ url, keys, document })
      // Its transfer may have ended by then, and workers move the batch on.
      answers.delete('POST /v1/test/disbursements/{reference}/settle')
      for (const act of ['submit', 'retry', 'cancel'])
        answers.delete(`POST /v1/disbursements/batches/{reference}/${act}`)
      const refused = [...answers].filter(([, { status }]) => status >= 300)
      expect(refused.map(([name, { status, text }]) => `${name} ${status} ${text}`)).toEqual([
        // A quote lasts a minute, nothing is held, and only its bank can sign a notice.
        expect.stringMatching(/^POST \/v1\/conversions 404 /),
        expect.stringMatching(/\/resolve 409 .*"invalid_state"/),
        expect.stringMatching(/^POST \/rails\/\{rail\}\/notices\/\{mode\} 401 /),
        expect.stringMatching(/^GET \/v1\/conversions\/\{reference\} 404 /),
      ])
    },
  )

  test('`manilla console` prints a link that signs in once', async () => {
    const { code, out, err } = await runCommand(home, 'console', '--print')
    expect([code, err]).toEqual([0, ''])
    const [link = ''] = out.split('\n')
    expect(link).toMatch(/^http:\/\/[\w.]+:\d+\/console\/start\/[\w-]{32}$/)
    const visit = () => fetch(link, { redirect: 'manual' })
    const first = await visit()
    expect([first.status, first.headers.get('location')]).toEqual([303, '/console'])
    const cookie = first.headers.get('set-cookie')!.split(';')[0]!
    const session = await fetch(new URL('/console/session', link), { headers: { cookie } })
    const { data } = (await session.json()) as { data: object }
    // It counts as a second factor, though the person has none.
    expect(data).toMatchObject({ hasSecondFactor: true, user: { hasTotp: false, passkeys: 0 } })
    expect((await visit()).status).toBe(404)
  })

  test('`manilla users create` prints a link to the running service', async () => {
    const { code, out, err } = await runCommand(home, 'users', 'create', 'bo@x.test', '--operator')
    expect([code, err]).toEqual([0, ''])
    const [link = ''] = out.split('\n')
    expect(new URL(link).port).toBe(new URL(readDemo(home).baseUrl).port)
    expect((await fetch(link)).status).toBe(200)
  })

  test('SIGTERM works like Ctrl-C', async () => {
    const postgres = postgresOf(home)!
    const before = running.text().length
    expect(await stop(running, 'SIGTERM')).toEqual({ code: 0, signal: null })
    expect([running.pid, postgres].filter(isRunning)).toEqual([])
    // An operator who stops it on purpose must see no warning.
    const said = running.text().slice(before)
    expect(said).not.toMatch(/"level":"(warn|error|fatal)"/)
    expect(said).toContain('Stopped. All data is on disk.')
  })

  // The database starts before the service: Ctrl-C in between must not leave a database behind. As
  // with `npm start | head -3`, its output has no reader.
  test('Ctrl-C during the start leaves no process, also with a closed pipe', async () => {
    const program = spawnStart(home)
    programs.push(program)
    program.stopReading()
    await until(() => postgresOf(home) !== undefined)
    const postgres = postgresOf(home)!
    expect(await stop(program)).toEqual({ code: 0, signal: null })
    expect([program.pid, postgres].filter(isRunning)).toEqual([])
  })

  test.runIf(isLongRun)('it ends everything also with a closed pipe', async () => {
    running = await start()
    running.stopReading()
    const postgres = postgresOf(home)!
    expect(await stop(running, 'SIGTERM')).toEqual({ code: 0, signal: null })
    expect([running.pid, postgres].filter(isRunning)).toEqual([])
  })
})

describe('an invalid setting', () => {
  test('is named in one line, and nothing is started', async () => {
    const mistakes: [Record<string, string>, RegExp][] = [
      [{ PORT: 'eighty' }, /PORT must be a whole number from 0 to 65535/],
      [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL must be one of: fatal/],
      [{ DATABASE_URL: 'postgres://localhost/x' }, /MANILLA_SECRET is required with DATABASE_URL/],
    ]
    const checks = mistakes.map(async ([more, message]) => {
      const program = spawnStart(home, more)
      programs.push(program)
      expect((await program.ended).code).toBe(1)
      expect(program.text()).toMatch(message)
      expect(program.text().trim().split('\n')).toHaveLength(1)
    })
    await Promise.all(checks)
    expect(postgresOf(home)).toBeUndefined()
  })
})
