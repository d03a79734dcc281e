import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** What people, or another process, start. */
const programs = [
  'main',
  'cli',
  'simulation/localnet/process',
  'sdk/cli/terminal',
  'sdk/cli/program',
]
/** Packages of hundreds of small files: to find and read them is most of the time of a start. */
const folded = ['typebox', '@solana/', '@solana-program/', '@scure/']

const manifest = fileURLToPath(new URL('../package.json', import.meta.url))
const packages = Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).dependencies)
const kept = packages.filter((name) => !folded.some((start) => name.startsWith(start)))

/**
 * Programs in a compiled folder, each with what it needs in few files: a start then takes two
 * thirds of the processor time. All other modules stay as they are, for whoever asks for one.
 */
export async function bundle(folder) {
  const made = await rolldown({
    input: Object.fromEntries(programs.map((name) => [name, join(folder, `${name}.js`)])),
    platform: 'node',
    external: (name) => isBuiltin(name) || kept.some((one) => isWithin(name, one)),
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

/** A module finds files by where it stands, and is told where it stood. */
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
