import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Builds dist/ as CommonJS, which Medusa loads its providers as. */
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const manifest = createRequire(import.meta.url).resolve('typescript/package.json')

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`)
const flags = [join(manifest, '..', 'bin', 'tsc'), '-p', root]
const { status } = spawnSync(process.execPath, flags, { stdio: 'inherit' })
process.exit(status ?? 1)
