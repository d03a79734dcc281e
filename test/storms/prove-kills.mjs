/** npm run proof:kills: see prove-kills.ts, which runs like the tests, with the built sources. */
import { runnerImport } from 'vite'

const { module: support } = await runnerImport('./test/support/built-sources.ts')
const plugins = [support.builtSources]
const { module } = await runnerImport('./test/storms/prove-kills.ts', {
  plugins,
  logLevel: 'error',
})
try {
  process.exitCode = await module.proveKills()
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
