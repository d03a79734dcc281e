import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * dist/esm for `import` and dist/cjs for `require`, each with its types: declarations that belong
 * to the other kind of module would promise an import that does not work.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
const compiler = join(manifest, '..', 'bin', 'tsc')

rmSync(dist, { recursive: true, force: true })
for (const [kind, project, type] of [
  ['esm', 'tsconfig.json', 'module'],
  ['cjs', 'tsconfig.cjs.json', 'commonjs'],
]) {
  const outDir = join(dist, kind)
  const flags = ['-p', join(root, project), '--outDir', outDir, '--noEmit', 'false']
  const { status } = spawnSync(process.execPath, [compiler, ...flags], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
  mkdirSync(outDir, { recursive: true })
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify({ type })}\n`)
}
