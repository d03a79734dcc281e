import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { unguardedTables } from '../gates/postgres-gate.js'
import { coveredFolder, readCovered } from './covered.js'
import { unguardedCalls } from './outside.js'
import { callsWithoutPath, tablesWithoutPath } from './without-path.js'

// A table, provider call or RPC method that is built later fails these tests until a path of the
// crash matrix comes by it, or `without-path.ts` says why none has to.

const root = path.resolve(import.meta.dirname, '../../..')
const providers = readdirSync(path.join(root, 'emulators'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const groups = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => {
    const text = readFileSync(path.join(import.meta.dirname, file), 'utf8')
    return [...text.matchAll(/^testPaths\('([^']+)'/gm)].map(([, group]) => group!)
  })

const covered = new Set(groups.flatMap((group) => Object.values(readCovered(group)).flat()))

function readSources(folder: string): string {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8'))
    .join('\n')
}

/** Of a path as rails and emulators write it, such as `/transfer/verify/${reference}`. */
function toPattern(written: string): string {
  const literals = written.split(/\$\{[^}]*\}|:\w+/)
  return literals.map((text) => text.replace(/[.?*+]/g, '\\$&')).join('[^/]+')
}

/** Some providers have a version before the paths that their rail writes. */
const version = '(/v\\d+)?'

function isCalled(provider: string, method: string, written: string): boolean {
  const pattern = new RegExp(`^call ${provider} ${method} ${version}${toPattern(written)}$`)
  return [...covered].some((name) => pattern.test(name))
}

/** Paths in the code of a rail, whatever the method. */
function listWrittenPaths(provider: string): string[] {
  const literals = readSources(`src/rails/${provider}`).matchAll(/(['`])(\/[a-z][^'`\n]*)\1/g)
  return [...new Set([...literals].map(([, , written]) => written!))]
}

/** Calls that change something at the emulated provider, as far as the rail knows their path. */
function listChanges(provider: string): { method: string; route: string }[] {
  const patterns = listWrittenPaths(provider).map(
    (written) => new RegExp(`^${version}${toPattern(written)}$`),
  )
  const routes = readSources(`emulators/${provider}`).matchAll(
    /'(POST|PUT|PATCH|DELETE) (\/[^']+)'/g,
  )
  return [...routes]
    .map(([, method, route]) => ({ method: method!, route: route! }))
    .filter(({ route }) => patterns.some((pattern) => pattern.test(route)))
}

/** RPC methods in the code of the chain, except those that gates do not see. */
function listMethods(): string[] {
  const literals = readSources('src/rails/solana').matchAll(
    /'((?:get|is|send|simulate)[A-Z][A-Za-z]+)'/g,
  )
  const methods = new Set([...literals].map(([, method]) => method!))
  return [...methods].filter((method) => !unguardedCalls.has(method))
}

test('every group has a file of what its paths cover, and no file is left over', () => {
  const files = readdirSync(coveredFolder).map((file) => file.replace(/\.json$/, ''))
  expect(files.sort()).toEqual(groups.map((group) => group.replaceAll(' ', '-')).sort())
})

test('every table is written by a path, except those listed', () => {
  const schema = readFileSync(path.join(root, 'schema.sql'), 'utf8')
  const tables = [...schema.matchAll(/^create table (\w+)/gm)].map(([, table]) => table!)
  expect(tables).toContain('payouts')
  const uncovered = tables.filter(
    (table) => !covered.has(`commit ${table}`) && !unguardedTables.has(table),
  )
  expect(uncovered.sort()).toEqual(Object.keys(tablesWithoutPath).sort())
})

test('every call to a provider or chain is made by a path, except those listed', () => {
  const changes = providers.flatMap((provider) =>
    listChanges(provider).map((change) => ({ provider, ...change })),
  )
  const written = providers.flatMap((provider) =>
    listWrittenPaths(provider).map((text) => ({ provider, text })),
  )
  const methods = listMethods()
  expect(changes).toContainEqual({ provider: 'paystack', method: 'POST', route: '/transfer' })
  expect(written).toContainEqual({ provider: 'flutterwave', text: '/transfers' })
  expect(methods).toContain('sendTransaction')
  const uncovered = [
    ...changes
      .filter(({ provider, method, route }) => !isCalled(provider, method, route))
      .map(({ provider, method, route }) => `${provider} ${method} ${route}`),
    ...written
      .filter(({ provider, text }) => !isCalled(provider, '\\w+', text))
      .map(({ provider, text }) => `${provider} ${text}`),
    ...methods
      .filter((method) => !covered.has(`call solana ${method}`))
      .map((method) => `solana ${method}`),
  ]
  expect(uncovered.sort()).toEqual(Object.keys(callsWithoutPath).sort())
})
