import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { limits } from '../../src/base/limits.js'
import { kycLimits } from '../../src/merchants/limits.js'
import { workLimits } from '../../src/operations/limits.js'
import { batchLimits } from '../../src/payouts/limits.js'
import { certificate } from '../support/certificate.js'
import { readAlerts, readPanels } from '../support/deploy-metrics.js'
import { root } from '../support/doc-pages.js'

/** The examples under deploy/. `npm run drill:failover` runs them; this checks what is cheap. */

const folder = path.join(root, 'deploy')
const nginxPath = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`
const hasNginx = spawnSync('nginx', ['-v'], { env: { PATH: nginxPath } }).status === 0
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

describe('deploy/prometheus-alerts.yml', () => {
  const alerts = readAlerts()

  test('says in every alert what is wrong and how urgent it is', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
    for (const { alert, expr, labels, annotations } of alerts) {
      expect(alert).toMatch(/^Manilla[A-Z]\w+$/)
      expect(expr.trim()).not.toBe('')
      expect(['page', 'ticket']).toContain(labels.severity)
      expect(annotations.summary).toMatch(/\.$/)
    }
    const expressions = alerts.map(({ expr }) => expr).join('\n')
    for (const name of ['up{', 'node_filesystem_avail_bytes']) expect(expressions).toContain(name)
  })

  // Missing after ten seconds, then at most one scrape and one evaluation.
  test('notices a killed worker within 15 seconds', () => {
    const missing = alerts.find(({ alert }) => alert === 'ManillaWorkerMissing')!
    expect(missing).toMatchObject({ expr: 'max(manilla_workers) < 2' })
    expect(missing.for).toBeUndefined()
    const { global, rule_files: files } = parse(read('prometheus.yml'))
    const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)![1])
    const afterKillMs =
      workLimits.missingAfterMs +
      1_000 * (seconds(global.scrape_interval) + seconds(global.evaluation_interval))
    expect(afterKillMs).toBeLessThan(15_000)
    expect(files).toEqual(['prometheus-alerts.yml'])
  })
})

test('deploy/grafana-dashboard.json has panels that do not overlap', () => {
  const panels = readPanels()
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  for (const { type, targets = [] } of panels) expect(targets.length > 0).toBe(type !== 'row')
})

// The service takes the last address of X-Forwarded-For: the proxy must write it, not append to it.
test.each([
  ['nginx.conf', /proxy_set_header X-Forwarded-For \$remote_addr;/, /proxy_buffering off;/],
  ['Caddyfile', /header_up X-Forwarded-For \{remote_host\}/, /flush_interval -1/],
])('deploy/%s names the caller and does not buffer streams', (name, forwarded, unbuffered) => {
  const text = read(name)
  expect(text).toMatch(forwarded)
  expect(text).toMatch(unbuffered)
  expect(text).not.toMatch(/proxy_add_x_forwarded_for/)
  expect(text).toContain('TRUST_PROXY=true')
  const [, kilobytes] = /(?:max_body_size|max_size) (\d+)k/i.exec(text)!
  const largest = Math.max(batchLimits.bodyBytesMax, kycLimits.documentBytesMax)
  expect(Number(kilobytes) * 1_000).toBeGreaterThan(largest)
  const [, idleSeconds] = /(?:keepalive_timeout|keepalive) (\d+)s/.exec(text)!
  expect(Number(idleSeconds) * 1_000).toBeLessThan(limits.http.keepAliveMs)
})

// Debian 12 has nginx 1.22, which does not know the directive `http2`.
test.runIf(hasNginx)('deploy/nginx.conf is accepted by the installed nginx', () => {
  const place = mkdtempSync(path.join(tmpdir(), 'manilla-nginx-'))
  const files = { 'fullchain.pem': certificate.cert, 'privkey.pem': certificate.key }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(place, name), text)
  const site = read('nginx.conf')
    .replaceAll('/etc/letsencrypt/live/pay.example.com', place)
    // Without root, the first thousand ports cannot be opened.
    .replaceAll(/listen (80|443)/g, 'listen 127.0.0.1:48$1')
  const config = path.join(place, 'nginx.conf')
  const logs = `pid ${place}/pid; error_log ${place}/error.log;`
  writeFileSync(config, `${logs} events {} http { access_log off; ${site} }`)
  const checked = spawnSync('nginx', ['-t', '-c', config, '-e', `${place}/start.log`], {
    encoding: 'utf8',
    env: { ...process.env, PATH: nginxPath },
  })
  rmSync(place, { recursive: true })
  expect(checked).toMatchObject({ status: 0, stderr: expect.stringMatching(/test is successful/) })
})

test('the documentation links every example', () => {
  const pages = ['failover', 'deployment'].map((name) =>
    readFileSync(path.join(root, `docs/operating/${name}.md`), 'utf8'),
  )
  const page = pages.join('\n')
  const unlinked = readdirSync(folder).filter((name) => !page.includes(`](../../deploy/${name})`))
  expect(unlinked).toEqual([])
})
