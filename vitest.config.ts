import { defineConfig } from 'vitest/config'
import { builtSources } from './test/support/built-sources.js'
import { isLongRun } from './test/support/long-run.js'
import { LongestFirst } from './test/support/longest-first.js'

export default defineConfig({
  plugins: [builtSources],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: isLongRun ? [] : ['test/**/*-long.test.ts'],
    globalSetup: [
      'test/support/find-browser.ts',
      'test/support/run-folder.mjs',
      'test/support/launch-browser.ts',
      'test/support/postgres.ts',
    ],
    runner: './test/support/runner.ts',
    reporters: ['default', './test/support/closing-line.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, the default, is short for a page on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    isolate: false,
    server: { deps: { external: [/\/dist\//] } },
    setupFiles: ['test/support/own-modules.ts'],
    // Three times the cores of a small machine: most workers wait for blocks, deadlines and processes.
    maxWorkers: 6,
    // Those that run at the same time mostly wait, for blocks and for deadlines.
    maxConcurrency: 16,
    sequence: { sequencer: LongestFirst },
  },
})
