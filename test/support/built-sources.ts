import { execFileSync } from 'node:child_process'
import path from 'node:path'
import type { Plugin } from 'vitest/config'

const root = path.resolve(import.meta.dirname, '../..')

/**
 * Tests import the sources and run the build that the command line runs: Node loads it in a fraction
 * of the time that Vite takes to transform a thousand modules. Pages serve the built files of web/.
 */
export const builtSources: Plugin = {
  name: 'built-sources',
  enforce: 'pre',
  config() {
    const build = path.join(root, 'bin/build-when-needed.mjs')
    execFileSync(process.execPath, [build], { stdio: 'inherit' })
  },
  resolveId(id, importer) {
    if (!importer || !/^[./]/.test(id)) return undefined
    const source = path.relative(root, path.resolve(path.dirname(importer), id))
    if (!/^(src|emulators)\//.test(source)) return undefined
    const built = source.replace(/^src\//, '').replace(/\.ts$/, '.js')
    return { id: path.join(root, 'dist', built), external: true }
  },
}
