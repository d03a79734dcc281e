/**
 * `npm run lint:api`: checks openapi.json with every rule of the linter, which is installed in this
 * folder on first use, so that the service does not depend on it.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const here = import.meta.dirname
const wanted = readJson('package.json').dependencies['@redocly/cli']
const linter = 'node_modules/@redocly/cli'

if (readJson(`${linter}/package.json`)?.version !== wanted)
  run('npm', ['ci', '--no-audit', '--no-fund'])
// Turns off telemetry and update checks.
const silent = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
run(process.execPath, [`${linter}/bin/cli.js`, 'lint', '../openapi.json'], silent)

function readJson(name) {
  try {
    return JSON.parse(readFileSync(path.join(here, name), 'utf8'))
  } catch {
    return undefined
  }
}

function run(command, words, more = {}) {
  const env = { ...process.env, ...more }
  const { status } = spawnSync(command, words, { cwd: here, env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
