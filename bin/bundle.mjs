import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** Entry points of processes. */
const programs = [
  'processes/main',
  'processes/cli',
  'processes/api-process',
  'simulation/localnet/process',
  'sdk/cli/terminal',
  'sdk/cli/program',
  'sdk/cli/console',
]
/** Packages of hundreds of small files: resolving and reading them dominates the start. */
const folded = ['typebox', '@solana/', '@solana-program/', '@scure/']

const manifest = fileURLToPath(new URL('../package.json', import.meta.url))
const packages = Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).dependencies)
const kept = packages.filter((name) => !folded.some((start) => name.startsWith(start)))

/**
 * Bundles each program into a few files, which saves a third of the processor time of a start. The
 * other compiled modules stay as they are.
 */
export async function bundle(folder) {
  const made = await rolldown({
    input: Object.fromEntries(programs.map((name) => [name, join(folder, `${name}.js`)])),
    platform: 'node',
    external: (name) =>
      isBuiltin(name) || name.startsWith('#') || kept.some((one) => isWithin(name, one)),
    plugins: [keepPlaces(folder)],
    logLevel: 'warn',
  })
  await made.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'bundled/[name]-[hash].js',
  })
  await made.close()
}

function isWithin(name, one) {
  return name === one || name.startsWith(`${one}/`)
}

/** Keeps `import.meta.url` of bundled modules, which locate files relative to it. */
function keepPlaces(folder) {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!id.startsWith(folder) || !code.includes('import.meta.url')) return undefined
      const place = relative(folder, id).split(sep).join('/')
      return code.replaceAll('import.meta.url', `importMetaUrl(${JSON.stringify(place)})`)
    },
    renderChunk(code, chunk) {
      const up = relative(dirname(chunk.fileName), '.').split(sep).join('/') || '.'
      return code.replaceAll(/importMetaUrl\("([^"]+)"\)/g, (_, place) => {
        return `new URL(${JSON.stringify(`${up}/${place}`)}, import.meta.url).href`
      })
    },
  }
}
