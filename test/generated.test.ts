import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Document } from '../sdk/scripts/document.js'
import { printFlags } from '../sdk/scripts/print-flags.js'
import { printResources } from '../sdk/scripts/print-resources.js'
import { printTypes } from '../sdk/scripts/print-types.js'
import { readConfig } from '../src/base/config.js'
import { createLogger } from '../src/base/log.js'
import { compose } from '../src/compose.js'
import { freshDatabase } from './support/database.js'
import { dumpSchema } from './support/dump-schema.js'
import { renderCli } from './support/render-cli.js'
import {
  renderConfiguration,
  renderErrors,
  renderEvents,
  renderPayouts,
  renderTestMode,
} from './support/render-docs.js'
import { renderEnvExample } from './support/render-env-example.js'
import { renderModules } from './support/render-modules.js'
import { type OpenApi, renderPostman } from './support/render-postman.js'

/** Files written from the code must say what the code says. `npm run generate` writes them anew. */

const db = await freshDatabase()
const config = readConfig({ DATABASE_URL: db.url, MANILLA_SECRET: 'generated'.repeat(4) })
const house = await compose({ config, databaseUrl: db.url, logger: createLogger('silent') })
afterAll(() => house.close())

const at = (name: string) => path.resolve(import.meta.dirname, '..', name)

test('openapi.json is what the server serves', async () => {
  await house.app.ready()
  const document = JSON.stringify(house.app.swagger(), null, 2)
  await expect(`${document}\n`).toMatchFileSnapshot(at('openapi.json'))
})

test('the types of the SDK are what openapi.json says', async () => {
  await house.app.ready()
  const document = house.app.swagger() as unknown as Document
  await expect(printTypes(document)).toMatchFileSnapshot(at('sdk/src/types.ts'))
  await expect(printResources(document)).toMatchFileSnapshot(at('sdk/src/resources.ts'))
  await expect(printFlags(document)).toMatchFileSnapshot(at('sdk/cli/flags.ts'))
})

test('schema.sql is what the migrations make', async () => {
  await expect(await dumpSchema(db)).toMatchFileSnapshot(at('schema.sql'))
})

test('the table of errors is what the refusals say', async () => {
  await expect(renderErrors()).toMatchFileSnapshot(at('docs/reference/errors.md'))
})

test('the table of variables is what the configuration reads', async () => {
  await expect(renderConfiguration()).toMatchFileSnapshot(at('docs/operating/configuration.md'))
})

test('the page of events is what the catalogue says', async () => {
  await expect(renderEvents()).toMatchFileSnapshot(at('docs/reference/events.md'))
})

test('the page of commands is what the program has', async () => {
  await expect(renderCli()).toMatchFileSnapshot(at('docs/reference/cli.md'))
})

test('the page of test mode is what the simulated rails obey', async () => {
  await expect(renderTestMode()).toMatchFileSnapshot(at('docs/reference/test-mode.md'))
})

test('the page of payouts is what they end with', async () => {
  await expect(renderPayouts()).toMatchFileSnapshot(at('docs/reference/payouts.md'))
})

test('the picture of the modules shows those that the tests know', async () => {
  await expect(renderModules()).toMatchFileSnapshot(at('docs/modules.svg'))
})

test('.env.example is what the configuration reads', async () => {
  await expect(renderEnvExample()).toMatchFileSnapshot(at('.env.example'))
})

test('the Postman collection is what the server serves', async () => {
  await house.app.ready()
  const document = JSON.parse(JSON.stringify(house.app.swagger())) as OpenApi
  await expect(renderPostman(document)).toMatchFileSnapshot(
    at('docs/manilla.postman_collection.json'),
  )
})
