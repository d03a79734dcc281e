import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * Builds dist/esm for `import` and dist/cjs for `require`, each with matching declarations: the
 * client, and the components for React.
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
  compile(project, outDir)
  compile(join('react', project), join(outDir, 'react'))
  mkdirSync(outDir, { recursive: true })
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify({ type })}\n`)
}

function compile(project, outDir) {
  const flags = ['-p', join(root, project), '--outDir', outDir, '--noEmit', 'false']
  const { status } = spawnSync(process.execPath, [compiler, ...flags], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
}

/** The CLI in one file with its dependencies bundled, so that nothing else is installed. */
const program = join(dist, 'cli.mjs')
const bundle = await rolldown({ input: join(root, 'cli/main.ts'), platform: 'node' })
const { output } = await bundle.write({ file: program, format: 'esm', codeSplitting: false })
await bundle.close()
chmodSync(program, 0o755)
const inside = new Set(
  output[0].moduleIds.flatMap(
    (id) => /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? [],
  ),
)
if (inside.size === 0) throw new Error('The bundle must contain commander and its licence')
const terms = [...inside].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`
  return `${name} ${version}\n\n${text}\n`
})
writeFileSync(join(dist, 'THIRD-PARTY.txt'), terms.join(`\n${'-'.repeat(72)}\n\n`))
