import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const log = pathToFileURL('dist/base/log.js').href

/** Runs a program that logs a line with a secret and then ends in the given way. */
function runProgram(ending: string) {
  const program = `
    import { createLogger } from '${log}'
    const logger = createLogger('info')
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
