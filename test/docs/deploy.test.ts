import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../support/doc-pages.js'

/** The examples under deploy/. `npm run drill:failover` runs them; this checks what is cheap. */

const folder = path.join(root, 'deploy')
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
const units = readdirSync(folder).filter((name) => name.endsWith('.service'))

describe('deploy/patroni.yml', () => {
  const { bootstrap } = parse(read('patroni.yml'))

  test('acknowledges a commit only after a standby has it', () => {
    expect(bootstrap.dcs).toMatchObject({
      synchronous_mode: true,
      synchronous_mode_strict: true,
      postgresql: { parameters: { synchronous_commit: 'on', fsync: 'on', full_page_writes: 'on' } },
    })
  })

  test('gives a primary time to renew its lease', () => {
    const { ttl, loop_wait: loopWait, retry_timeout: retryTimeout } = bootstrap.dcs
    expect(ttl).toBeGreaterThanOrEqual(loopWait + 2 * retryTimeout)
  })
})

test('deploy/haproxy.cfg closes the sessions of a former primary', () => {
  expect(read('haproxy.cfg')).toMatch(/default-server .*on-marked-down shutdown-sessions/)
})

test.each(units)('deploy/%s restarts its process', (unit) => {
  expect(read(unit)).toMatch(/^Restart=always$/m)
  const [, script] = /^ExecStart=\/usr\/bin\/node \/opt\/manilla\/(\S+)/m.exec(read(unit)) ?? []
  if (script) expect(existsSync(path.join(root, script))).toBe(true)
})

test('the documentation links every example', () => {
  const page = readFileSync(path.join(root, 'docs/operating/failover.md'), 'utf8')
  const unlinked = readdirSync(folder).filter((name) => !page.includes(`](../../deploy/${name})`))
  expect(unlinked).toEqual([])
})
