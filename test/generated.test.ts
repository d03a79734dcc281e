import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Document } from '../sdk/scripts/document.js'
import { printFlags } from '../sdk/scripts/print-flags.js'
import { printResources } from '../sdk/scripts/print-resources.js'
import { printTypes } from '../sdk/scripts/print-types.js'
import { readConfig } from '../src/base/config.js'
import { createLogger } from '../src/base/log.js'
import { compose } from '../src/processes/compose.js'
import { emitters } from '../tools/sdks/emitters.js'
import { readApi } from '../tools/sdks/read-api.js'
import { freshDatabase } from './support/database.js'
import { dumpSchema } from './support/dump-schema.js'
import { printConsoleTypes } from './support/print-console-types.js'
import { renderCli } from './support/render-cli.js'
import {
  renderConfiguration,
  renderConsoleGuide,
  renderErrors,
  renderEvents,
  renderPayoutControls,
  renderPayouts,
  renderPersonalData,
  renderSdkReadme,
  renderTestMode,
} from './support/render-docs.js'
import { renderEnvExample } from './support/render-env-example.js'
import { renderModules } from './support/render-modules.js'
import { type OpenApi, renderPostman } from './support/render-postman.js'
import { renderSdks } from './support/render-sdks.js'
import { generatedFilesIn, removeLeftOver } from './support/sdk-files.js'

/** Generated files must match the code. `npm run generate` updates them. */

const db = await freshDatabase()
const config = readConfig({ DATABASE_URL: db.url, MANILLA_SECRET: 'generated'.repeat(4) })
const service = await compose({ config, databaseUrl: db.url, logger: createLogger('silent') })
afterAll(() => service.close())

const at = (name: string) => path.resolve(import.meta.dirname, '..', name)

test('openapi.json matches the server', async () => {
  await service.app.ready()
  const document = JSON.stringify(service.app.swagger(), null, 2)
  await expect(`${document}\n`).toMatchFileSnapshot(at('openapi.json'))
})

test('the SDK types match openapi.json', async () => {
  await service.app.ready()
  const document = service.app.swagger() as unknown as Document
  await expect(printTypes(document)).toMatchFileSnapshot(at('sdk/src/types.ts'))
  await expect(printResources(document)).toMatchFileSnapshot(at('sdk/src/resources.ts'))
  await expect(printFlags(document)).toMatchFileSnapshot(at('sdk/cli/flags.ts'))
})

test.each(Object.keys(emitters))('the generated files of %s match openapi.json', async (folder) => {
  await service.app.ready()
  // As written to openapi.json, which has no undefined.
  const api = readApi(JSON.parse(JSON.stringify(service.app.swagger())))
  const files = emitters[folder]!(api)
  for (const [name, text] of files) await expect(text).toMatchFileSnapshot(at(name))
  const leftOver = generatedFilesIn(folder).filter((name) => !files.has(name))
  expect(removeLeftOver(leftOver, expect.getState())).toEqual([])
})

test('the types of the console match its routes', async () => {
  await service.app.ready()
  const { components } = service.app.swagger() as unknown as Document
  const types = printConsoleTypes(service.routes, Object.keys(components.schemas))
  await expect(types).toMatchFileSnapshot(at('console/src/api/answers.ts'))
})

test('schema.sql matches the migrations', async () => {
  await expect(await dumpSchema(db)).toMatchFileSnapshot(at('schema.sql'))
})

test('the error reference matches the refusals', async () => {
  await expect(renderErrors()).toMatchFileSnapshot(at('docs/reference/errors.md'))
})

test('the configuration reference matches the variables', async () => {
  await expect(renderConfiguration()).toMatchFileSnapshot(at('docs/operating/configuration.md'))
})

test('the console guide has the permissions of every role', async () => {
  const guide = at('docs/guides/console.md')
  await expect(renderConsoleGuide(readFileSync(guide, 'utf8'))).toMatchFileSnapshot(guide)
})

test('the guide of payout controls has every reason to wait', async () => {
  const guide = at('docs/guides/payout-controls.md')
  await expect(renderPayoutControls(readFileSync(guide, 'utf8'))).toMatchFileSnapshot(guide)
})

test('the page about personal data lists every class', async () => {
  const page = at('docs/operating/personal-data.md')
  await expect(renderPersonalData(readFileSync(page, 'utf8'))).toMatchFileSnapshot(page)
})

test('the README of the SDK lists every resource', async () => {
  const readme = at('sdk/README.md')
  await expect(renderSdkReadme(readFileSync(readme, 'utf8'))).toMatchFileSnapshot(readme)
})

test('the guide of the SDKs has the number of scenarios', async () => {
  const guide = at('docs/guides/sdks.md')
  await expect(renderSdks(readFileSync(guide, 'utf8'))).toMatchFileSnapshot(guide)
})

test('the event reference matches the catalogue', async () => {
  await expect(renderEvents()).toMatchFileSnapshot(at('docs/reference/events.md'))
})

test('the command reference matches the program', async () => {
  await expect(renderCli()).toMatchFileSnapshot(at('docs/reference/cli.md'))
})

test('the test mode reference matches the simulated rails', async () => {
  await expect(renderTestMode()).toMatchFileSnapshot(at('docs/reference/test-mode.md'))
})

test('the payout reference matches the outcomes', async () => {
  await expect(renderPayouts()).toMatchFileSnapshot(at('docs/reference/payouts.md'))
})

test('the module diagram matches the tidy test', async () => {
  await expect(renderModules()).toMatchFileSnapshot(at('docs/modules.svg'))
})

test('.env.example matches the variables', async () => {
  await expect(renderEnvExample()).toMatchFileSnapshot(at('.env.example'))
})

test('the Postman collection matches the server', async () => {
  await service.app.ready()
  const document = JSON.parse(JSON.stringify(service.app.swagger())) as OpenApi
  await expect(renderPostman(document)).toMatchFileSnapshot(
    at('docs/manilla.postman_collection.json'),
  )
})
