import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Bundles console/ into files whose names contain a hash, with a manifest that lists them. */
export async function buildConsole(outDir) {
  const { NODE_ENV } = process.env
  // Otherwise a build that a test starts would contain React's much larger development version.
  process.env.NODE_ENV = 'production'
  try {
    await build(settingsFor(outDir))
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
}

/** Parts that few screens use, or that load when first opened. */
const apart = [
  'chart',
  'choices',
  'code',
  'command-list',
  'messages',
  'password-field',
  'resource-timeline',
  'timeline',
]

/**
 * What most screens share is one file. As a file for each part, it took a slow phone several round
 * trips.
 */
const shared = {
  name: 'shared',
  test: new RegExp(`console/src/(api|parts|texts)/(?!(${apart.join('|')}).tsx)`),
}

function settingsFor(outDir) {
  return {
    configFile: false,
    root: join(root, 'console'),
    base: '/console/',
    logLevel: 'warn',
    publicDir: false,
    plugins: [react()],
    // Computations that the console shares with the service assert things.
    resolve: { alias: { 'node:assert': join(root, 'console/src/node-assert.ts') } },
    build: {
      outDir,
      emptyOutDir: true,
      manifest: true,
      target: 'es2022',
      // Small files stay files: the page's policy forbids inline scripts and fonts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: join(root, 'console/src/main.tsx'),
        output: { codeSplitting: { groups: [shared] } },
      },
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildConsole(process.argv[2] ?? join(root, 'dist/console'))
