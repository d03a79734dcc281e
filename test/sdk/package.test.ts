import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Manilla } from '../../sdk/src/manilla.js'
import { openBrowser } from '../support/browser.js'
import { openWithBank } from '../support/open-with-bank.js'
import { openReceiver } from '../support/receiver.js'

/** The package as installed by npm, in an unrelated folder. */

const root = path.resolve(import.meta.dirname, '../..')
const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
const folder = mkdtempSync(path.join(tmpdir(), 'manilla-sdk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const service = await openWithBank()
const run = promisify(execFile)

function npm(cwd: string, ...words: string[]) {
  const env = { ...process.env, npm_config_cache: path.join(folder, 'cache') }
  return run('npm', [...words, '--offline', '--no-audit', '--no-fund'], { cwd, env })
}

const installed = path.join(folder, 'installed')
beforeAll(async () => {
  await npm(folder, 'pack', path.join(root, 'sdk'), '--pack-destination', folder)
  const archive = path.join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!)
  mkdirSync(installed)
  writeFileSync(path.join(installed, 'package.json'), '{}')
  await npm(installed, 'install', archive)
})

/** Keeps the link to the command relative. */
const copying = { recursive: true, verbatimSymlinks: true }

/** An empty project with these files and the installed package. */
async function createProject(name: string, files: Record<string, string | object>) {
  const cwd = path.join(folder, name)
  mkdirSync(cwd)
  for (const [file, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(path.join(cwd, file), text)
  }
  cpSync(path.join(installed, 'node_modules'), path.join(cwd, 'node_modules'), copying)
  return cwd
}

async function runNode(cwd: string, file: string) {
  const { PATH, TMPDIR } = process.env
  const env = { PATH, TMPDIR, KEY: service.merchant.test.secret, URL: service.url }
  return run(process.execPath, [file], { cwd, env })
}

const story = `
  const manilla = new Manilla(process.env.KEY, { baseUrl: process.env.URL })
  const { reference, accountNumber } = await manilla.virtualAccounts.create({
    merchantReference: 'order-1', amount: 500000,
  })
  await manilla.test.bankTransfers.create({ accountNumber, amount: 500000 })
  for await (const account of manilla.virtualAccounts.list({ status: 'PAID' }))
    if (account.reference === reference) console.log(account.status)
  const error = await manilla.payments.get('pay_none').catch((thrown) => thrown)
  console.log(error instanceof ManillaError, error.code)
  const problem = await manilla.webhooks.verify({}, {}, '').catch((thrown) => thrown.problem)
  console.log(problem, verifyWebhook === manilla.webhooks.verify)
`
const expectedOutput = 'PAID\ntrue not_found\nbody_parsed true\n'

describe.concurrent('a new project', () => {
  test('with import installs the package and nothing else', async ({ expect }) => {
    const cwd = await createProject('esm', {
      'package.json': { type: 'module' },
      'main.js': `import { Manilla, ManillaError, verifyWebhook } from 'manilla'\n${story}`,
    })
    expect(await runNode(cwd, 'main.js')).toEqual({ stdout: expectedOutput, stderr: '' })
    const modules = readdirSync(path.join(cwd, 'node_modules')).filter((name) => name[0] !== '.')
    expect(modules).toEqual(['manilla'])
    const files = readdirSync(path.join(cwd, 'node_modules/manilla')).sort()
    expect(files).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  })

  test('has the command, without dependencies', async ({ expect }) => {
    const cwd = await createProject('command', { 'package.json': {} })
    const { PATH, TMPDIR } = process.env
    const env = { PATH, TMPDIR, MANILLA_KEY: service.merchant.test.secret }
    const command = path.join(cwd, 'node_modules/.bin/manilla')
    const asked = ['virtual-accounts', 'create', '--amount', '900', '--merchant-reference', 'cli-1']
    const { stdout, stderr } = await run(command, [...asked, '--json'], {
      cwd,
      env: { ...env, HOME: cwd, MANILLA_URL: service.url },
    })
    expect(JSON.parse(stdout)).toMatchObject({ merchantReference: 'cli-1', amount: 90_000 })
    expect(stderr).toBe('')
    const terms = readFileSync(path.join(cwd, 'node_modules/manilla/dist/THIRD-PARTY.txt'), 'utf8')
    expect(terms).toContain('commander')
    const { version } = JSON.parse(readFileSync(path.join(root, 'sdk/package.json'), 'utf8'))
    expect((await run(command, ['--version'], { cwd, env })).stdout).toBe(`${version}\n`)
    const agent = new Client({ name: 'test', version: '1.0.0' })
    const access = { PATH: PATH!, MANILLA_KEY: env.MANILLA_KEY, MANILLA_URL: service.url }
    await agent.connect(new StdioClientTransport({ command, args: ['mcp'], env: access, cwd }))
    expect((await agent.listTools()).tools.length).toBeGreaterThan(50)
    await agent.close()
  })

  test('with require', async ({ expect }) => {
    const cwd = await createProject('cjs', {
      'package.json': {},
      'main.js': `const { Manilla, ManillaError, verifyWebhook } = require('manilla')
        void (async () => {${story}})()`,
    })
    expect(await runNode(cwd, 'main.js')).toEqual({ stdout: expectedOutput, stderr: '' })
  })

  test('in the strictest TypeScript, for import and for require', async ({ expect }) => {
    const cwd = await createProject('strict', {
      'package.json': { type: 'module' },
      'tsconfig.json': { compilerOptions: strictest },
      'main.ts': strictModule,
      'legacy.cts': `import sdk = require('manilla')
        const client: sdk.Manilla = new sdk.Manilla('sk_test_x', { baseUrl: 'http://x' })
        const list: sdk.Pages<sdk.Payment> = client.payments.list()
        void list`,
    })
    const checked = await run(process.execPath, [compiler, '-p', cwd]).catch((thrown) => thrown)
    expect(checked.stdout).toBe('')
    expect((await runNode(cwd, 'main.js')).stdout).toBe('order-2 ACTIVE\n')
    await runNode(cwd, 'legacy.cjs')
  })
})

// React itself comes from the project.
test.each([
  ['module', 'import'],
  ['commonjs', 'require'],
])('a React project as %s compiles', async (type) => {
  const cwd = await createProject(`react-${type}`, {
    'package.json': { type },
    'tsconfig.json': {
      compilerOptions: { ...strictest, verbatimModuleSyntax: false, noEmit: true },
    },
    'main.ts': reactModule,
  })
  for (const name of ['react', '@types/react', 'csstype']) {
    const from = path.join(root, 'node_modules', name)
    cpSync(from, path.join(cwd, 'node_modules', name), { recursive: true })
  }
  const checked = await run(process.execPath, [compiler, '-p', cwd]).catch((thrown) => thrown)
  expect(checked.stdout).toBe('')
})

// From another origin, like a shop's page: the public API, without a key or a preflight.
test('a browser reads a checkout session and verifies a webhook', async ({ expect }) => {
  const seller = new Manilla(service.merchant.test.secret, { baseUrl: service.url })
  const customer = { name: 'Ada Obi', email: 'ada@example.com' }
  const { reference } = await seller.checkout.sessions.create({
    amount: 5_000,
    description: 'Agege bread',
    customer,
  })
  const shop = await openReceiver((response, { path: asked }) => {
    const isPage = asked === '/'
    response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript')
    if (isPage) response.end(pageAbout(reference))
    else response.end(readFileSync(path.join(root, 'sdk/dist/esm', path.basename(asked))))
  })
  const page = await (await openBrowser()).newPage()
  await page.goto(shop.url)
  await page.waitForFunction('document.title !== ""')
  expect(await page.title()).toBe('pending signature_mismatch')
})

function pageAbout(reference: string): string {
  const key = service.merchant.test.public
  return `<link rel="icon" href="data:,"><script type="module">
    import { Manilla, verifyWebhook } from './manilla.js'
    const manilla = new Manilla('${key}', { baseUrl: '${service.url}' })
    const { status } = await manilla.checkout.retrieve('${reference}')
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const headers = new Headers(['evt_1', '1', 'v1,AAAA'].map((value, i) => [names[i], value]))
    const secret = 'whsec_' + btoa('0123456789abcdef')
    const error = await verifyWebhook('{"id":"evt_1"}', headers, secret).catch((thrown) => thrown)
    document.title = status + ' ' + error.problem
  </script>`
}

const reactModule = `
import { type InlineResult, ManillaButton, useManilla } from 'manilla/react'
import React = require('react')
const src = 'https://pay.example.com/inline.js'
const onResult = ({ status }: InlineResult) => status satisfies 'paid' | 'closed' | 'expired' | 'cancelled'
const onError = (error: Error) => error.message
export const button = React.createElement(ManillaButton, { src, session: 'cs_1', onResult, onError })
// @ts-expect-error: the payer must get to the hosted page if the dialog cannot be shown
export const wrong = React.createElement(ManillaButton, { src, session: 'cs_1', onResult })
export const useIt = () => useManilla({ src })({ session: { url: 'https://pay.example.com' } })
`

/** Without skipLibCheck: the installed declarations must compile, too. */
const strictest = {
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
}

/** Lines that must not compile are marked. */
const strictModule = `
import { Manilla, ManillaError, verifyWebhook } from 'manilla'
import type { CreateVirtualAccountInput, EventOf, Payment, WebhookEvent } from 'manilla'

declare const process: { env: { KEY?: string; URL: string } }
declare const console: { log(...words: unknown[]): void }

const manilla = new Manilla(process.env.KEY, { baseUrl: process.env.URL, timeoutMs: undefined })
const note: string | undefined = undefined
const input: CreateVirtualAccountInput = { merchantReference: 'order-2', amount: 1, expiresAt: note }
const account = await manilla.virtualAccounts.create(input, { idempotencyKey: 'order-2' })
console.log(account.merchantReference, account.status satisfies 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED')

// @ts-expect-error: an amount in kobo is a number
await manilla.virtualAccounts.create({ merchantReference: 'x', amount: '1' }).catch(() => {})
// @ts-expect-error: there is no such status
manilla.virtualAccounts.list({ status: 'LOST' })
// @ts-expect-error: a read takes no idempotency key
manilla.payments.list({}, { idempotencyKey: 'x' })

export function read(event: WebhookEvent): string {
  if (event.type === 'payment.held') return event.data.variance
  if (event.type === 'bank_transfer.failed') return event.data.failureReason ?? 'unknown'
  // @ts-expect-error: other events have no such field
  return event.data.failureReason
}
export const held = (event: EventOf<'payment.held'>): Payment => event.data
export const first = async () => (await manilla.payments.list().page()).items[0]?.reference
export const hear = async (request: Request) =>
  verifyWebhook(await request.text(), request.headers, process.env.KEY)
export const codeOf = (error: unknown) => (error instanceof ManillaError ? error.code : undefined)
`
