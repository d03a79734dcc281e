import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { OutcomeUnknown } from '../../src/postgres/wire/failures.js'
import { Unknown } from '../../src/rails/bank/provider-client.js'
import { NodeFailure } from '../../src/rails/solana/rpc/node.js'
import { Unavailable } from '../../src/rails/solana/rpc/nodes.js'
import { SourceProblem } from '../../src/rates/ports.js'

const log = pathToFileURL('dist/base/log.js').href

/** Runs a program that logs a line with a secret and then ends in the given way. */
function runProgram(ending: string, format?: 'pretty' | 'json') {
  const program = `
    import { createLogger } from '${log}'
    const logger = createLogger('info', undefined, ${JSON.stringify(format)})
    logger.info({ path: '/v1/sk_test_abc123' }, 'first')
    ${ending}`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
}

// Lines are buffered, so each way to end must write what is in the buffer.
test.each([
  ['by itself', '', 0],
  ['by process.exit', 'process.exit(3)', 3],
  ['by process.exit, later', 'setTimeout(() => process.exit(3), 5)', 3],
  ['by an uncaught error', "setTimeout(() => { throw new Error('bug') }, 5)", 1],
  ['by a rejection', "await Promise.reject(new Error('bug'))", 1],
  ['after more than the buffer', "for (let n = 0; n < 2000; n += 1) logger.warn('more')", 0],
])('a program that ends %s writes its log', (_how, ending, code) => {
  const { status, stderr } = runProgram(ending)
  expect(status).toBe(code)
  const [first] = stderr.split('\n')
  expect(JSON.parse(first!)).toMatchObject({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
    pid: expect.any(Number),
    path: '/v1/sk_test_[secret]',
    msg: 'first',
  })
  expect(stderr.match(/"more"/g) ?? []).toHaveLength(ending.includes('2000') ? 2_000 : 0)
})

// Nothing else is logged, and the program keeps running.
test('a line is written soon after it was logged', () => {
  const { stderr } = runProgram(`
    const { setTimeout: sleep } = await import('node:timers/promises')
    await sleep(2_000)
    process.kill(process.pid, 'SIGKILL')`)
  expect(stderr).toContain('"first"')
})

// A terminal shows the same lines in fewer words. Without one, JSON is the default.
test('a pretty line is short, redacted, and safe to print', () => {
  const { stderr } = runProgram(
    `
    logger.info({ requestId: 'r', method: 'GET', path: '/v1/x', status: 404, durationMs: 1.5,
      merchant: 'mer_1', key: 'Ada Stores', code: 'not_found' }, 'answered')
    const error = Object.assign(new Error('sk_test_abc123 is wrong'), { name: 'ConnectionLost' })
    logger.warn({ err: error, why: 'red \\u001b[31m' }, 'a warning')
    logger.error({ err: new TypeError('a bug') }, 'an error')`,
    'pretty',
  )
  const lines = stderr.trimEnd().split('\n')
  expect(lines.slice(0, 5).map((line) => line.replace(/^[\d:]{8} /, ''))).toEqual([
    'INFO  first path=/v1/sk_test_[secret]',
    'INFO  GET /v1/x 404 1.5 ms requestId=r merchant=mer_1 key="Ada Stores" code=not_found',
    'WARN  a warning why="red \\u001b[31m"',
    '  ConnectionLost: sk_test_[secret] is wrong',
    'ERROR an error',
  ])
  expect(lines[5]).toBe('  TypeError: a bug')
  expect(lines[6]).toMatch(/^ {6}at /)
})

test('errors of banks, chains and rate sources that are away are expected', () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line: string) => void lines.push(line) })
  const errors = [new Unavailable('x'), new NodeFailure('x'), new SourceProblem('x')]
  for (const err of [...errors, new Unknown('x'), new OutcomeUnknown('x')])
    logger.warn({ err }, 'expected')
  expect(lines).toHaveLength(5)
  for (const line of lines) expect(JSON.parse(line).err).not.toHaveProperty('stack')
})

test('an expected error has no stack, a bug has', () => {
  const { stderr } = runProgram(`
    const cause = new Error('connect ECONNREFUSED')
    const lost = Object.assign(new Error('no connection', { cause }), { name: 'ConnectionLost' })
    logger.warn({ err: lost }, 'expected')
    logger.error({ err: new Error('a bug') }, 'unexpected')`)
  const [, expected, unexpected] = stderr.split('\n').map((line) => line && JSON.parse(line))
  const message = 'no connection: connect ECONNREFUSED'
  expect(expected.err).toEqual({ type: 'ConnectionLost', message })
  expect(unexpected.err.stack).toContain('at ')
})
