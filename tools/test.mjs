import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/**
 * Runs lint and type checks beside the tests, which leave a core idle while they start. A failing
 * check ends the run at once.
 */

const checks = ['lint', 'types']
const tests = spawn('vitest', ['run', ...process.argv.slice(2)], { stdio: 'inherit' })
const ended = once(tests, 'exit')

async function check(name) {
  const npm = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code], ...output] = await Promise.all([
    once(npm, 'close'),
    text(npm.stdout),
    text(npm.stderr),
  ])
  if (code === 0) return
  tests.kill()
  await ended
  process.stderr.write(output.join(''))
  throw new Error(`npm run ${name} failed.`)
}

await Promise.all(checks.map(check))
const [code] = await ended
process.exitCode = code ?? 1
