import { readFile } from 'node:fs/promises'
import { type PackedFile, packFile } from '../reference/packed-file.js'

/** Files that the page loads first, as URLs. */
export type ConsoleEntry = {
  script: string
  styles: string[]
  preloads: string[]
  /** Version of Manilla. */
  version: string
}

/** The files of the console by name. Each is compressed when first read, and kept. */
type ConsoleFiles = { find(name: string): Promise<PackedFile | undefined> }

/** One file in the manifest that the build writes. */
type Chunk = {
  file: string
  css?: string[]
  imports?: string[]
  isEntry?: boolean
}

/** Built from console/. Found in dist/ also when this file runs from src/. */
const folder = new URL('../../../dist/console/', import.meta.url)

const manifest = new URL('../../../package.json', import.meta.url)

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

export async function openConsole(): Promise<{ entry: ConsoleEntry; files: ConsoleFiles }> {
  const text = await readFile(new URL('.vite/manifest.json', folder), 'utf8')
  const chunks = JSON.parse(text) as Record<string, Chunk>
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const listed = Object.values(chunks)
  const names = new Set(listed.flatMap(({ file, css = [] }) => [file, ...css]))
  const packed = new Map<string, Promise<PackedFile | undefined>>()
  return {
    entry: { ...entryOf(chunks), version },
    files: {
      async find(path) {
        const name = path.replace(/^console\//, '')
        // Only names of the manifest: nothing else can be read from the disk.
        if (!names.has(name)) return undefined
        const file = packed.get(name) ?? pack(name)
        packed.set(name, file)
        return file
      },
    },
  }
}

/** Undefined once a later build has replaced the file. */
async function pack(name: string): Promise<PackedFile | undefined> {
  const contentType = types[name.split('.').at(-1)!] ?? 'application/octet-stream'
  const text = await readFile(new URL(name, folder), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error
  })
  return text === undefined ? undefined : packFile(contentType, text)
}

/** The entry and every chunk that it imports, so that browsers fetch them at once. */
function entryOf(chunks: Record<string, Chunk>): Omit<ConsoleEntry, 'version'> {
  const entry = Object.values(chunks).find(({ isEntry }) => isEntry)
  if (!entry) throw new Error('The console was built without an entry.')
  const seen = new Set<Chunk>([entry])
  for (const chunk of seen)
    for (const name of chunk.imports ?? []) if (chunks[name]) seen.add(chunks[name])
  const urlOf = (file: string) => `/console/${file}`
  const all = [...seen]
  return {
    script: urlOf(entry.file),
    styles: [...new Set(all.flatMap(({ css = [] }) => css))].map(urlOf),
    preloads: all.filter((chunk) => chunk !== entry).map(({ file }) => urlOf(file)),
  }
}
