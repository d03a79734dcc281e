import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Manilla } from '../../sdk/src/manilla.js'
import { fencesOf } from '../support/doc-pages.js'
import { isInstalled } from '../support/is-installed.js'
import {
  createHome,
  isRunning,
  type Program,
  readDemo,
  removeHome,
  startProgram,
} from '../support/program.js'
import { until } from '../support/sessions.js'

/** The PHP SDK: its own tests, its package, and the webhook receiver of its README. */

const root = path.resolve(import.meta.dirname, '../..')
const sdk = path.join(root, 'sdks/php')
const readme = readFileSync(path.join(sdk, 'README.md'), 'utf8')
const folder = mkdtempSync(path.join(tmpdir(), 'manilla-php-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isThere = ['php', 'phpunit', 'composer'].every(isInstalled)
if (!isThere) console.log('The PHP SDK is not tested: php, phpunit or composer is missing.')

const run = promisify(execFile)

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

test('PHP is installed where every runtime must be', () => {
  if (process.env.MANILLA_ALL_RUNTIMES === '1') expect(isThere).toBe(true)
})

describe.runIf(isThere)('the PHP SDK', () => {
  test('passes its own tests', async () => {
    const { stdout } = await run('phpunit', [], { cwd: sdk })
    expect(stdout).toContain('OK (')
  })

  test('is installed by Composer, as its README says', async () => {
    const project = path.join(folder, 'shop')
    cpSync(sdk, path.join(folder, 'manilla/sdks/php'), { recursive: true })
    write('shop/composer.json', '{"repositories": [{"packagist": false}]}')
    const [install] = fencesOf(readme).filter(({ language }) => language === 'sh')
    const env = {
      ...process.env,
      COMPOSER_HOME: path.join(folder, 'home'),
      COMPOSER_ALLOW_SUPERUSER: '1',
    }
    await run('sh', ['-euc', install!.text], { cwd: project, env })
    const program = `require 'vendor/autoload.php'; echo (new ReflectionClass('Manilla\\Manilla'))->getName();`
    const { stdout } = await run('php', ['-r', program], { cwd: project })
    expect(stdout).toBe('Manilla\\Manilla')
    await run('composer', ['validate', '--strict', '--no-check-version'], { cwd: sdk, env })
  })

  test('verifies v1 without any extension, and says what v1a needs', async () => {
    const program = write(
      'bare.php',
      `<?php
      require '${sdk}/autoload.php';
      use Manilla\\Testing\\SignedWebhook;
      use Manilla\\Webhook;
      $secret = SignedWebhook::makeSecret();
      $webhook = SignedWebhook::make('payment.held', [], $secret);
      echo Webhook::verify($webhook->body, $webhook->headers, $secret)->type, "\\n";
      $headers = ['webhook-signature' => 'v1a,' . base64_encode(str_repeat('a', 64))] + $webhook->headers;
      try {
          Webhook::verify($webhook->body, $headers, 'whpk_' . base64_encode(random_bytes(32)));
      } catch (LogicException $error) {
          echo $error->getMessage();
      }`,
    )
    const { stdout } = await run('php', [
      ...['-n', '-d', 'disable_functions=sodium_crypto_sign_verify_detached'],
      program,
    ])
    expect(stdout).toMatch(/^payment\.held\n.*ext-sodium is missing/)
  })

  // The oldest PHP that the SDK supports has no `readonly class` and no types `true`, `false`, `null`.
  test('uses nothing that PHP 8.1 does not know', async () => {
    const { stdout } = await run('git', ['ls-files', '*.php'], { cwd: sdk, maxBuffer: 2 ** 24 })
    const files = stdout.trim().split('\n')
    expect(files.length).toBeGreaterThan(200)
    const newer =
      /readonly (final )?class|final readonly|[:(,] *(true|false|null) +\$|\): (true|false|null)\b|const (int|string|array) [A-Z]/
    expect(files.filter((file) => newer.test(readFileSync(path.join(sdk, file), 'utf8')))).toEqual(
      [],
    )
  })
})

describe.runIf(isThere)('the receiver of the README', () => {
  const home = createHome()
  let program: Program
  beforeAll(async () => {
    program = await startProgram(home)
  })
  afterAll(async () => {
    if (isRunning(program.pid)) program.signal('SIGTERM')
    await program.ended
    await removeHome(home)
  })

  test('receives webhooks of a service', async () => {
    const { baseUrl, test } = readDemo(home)
    const manilla = new Manilla(test.secretKey, { baseUrl })
    const port = await freePort()
    const endpoint = await manilla.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/` })
    const receiver = fencesOf(readme).find(({ text }) => text.includes('php://input'))!
    write('receiver/index.php', receiver.text)
    cpSync(sdk, path.join(folder, 'receiver/manilla-php'), { recursive: true })
    const served = path.join(folder, 'receiver')
    const server = spawn('php', ['-S', `127.0.0.1:${port}`, '-t', served], {
      cwd: served,
      env: { ...process.env, WEBHOOK_SECRET: endpoint.secret },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let log = ''
    server.stderr.on('data', (chunk) => {
      log += chunk
    })
    try {
      await until(() => log.includes('started'))
      const { accountNumber } = await manilla.virtualAccounts.create({
        merchantReference: 'order-7',
        amount: 5_000,
      })
      await manilla.test.bankTransfers.create({ accountNumber, amount: 5_000 })
      await until(() => log.includes('Ship order-7'))
      const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })
      expect(forged.status).toBe(400)
      await until(() => log.includes('headers_missing'))
    } finally {
      server.kill()
      await once(server, 'exit')
    }
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
