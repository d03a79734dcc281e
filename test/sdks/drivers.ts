import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/** An SDK and the programs that prove it. Commands run in `folder`. */
export type Sdk = {
  language: string
  folder: string
  /** Reads and writes the lines of conformance/README.md. */
  driver: string[]
  /** Takes money through a service, as README.md says. Empty for a second client of an SDK. */
  journey: string[]
  /** Prints what the runtime is, or fails if it is not installed. */
  runtime: string[]
  /** The test of its README, if journeys.test.ts does not run it. */
  readmeTest?: string
}

/** Every SDK of the repository. */
export const sdks: Sdk[] = [
  {
    language: 'TypeScript',
    folder: 'sdk',
    driver: [process.execPath, 'conformance/driver.mjs'],
    journey: [process.execPath, 'journey.mjs'],
    runtime: [process.execPath, '--version'],
  },
  {
    language: 'Python',
    folder: 'sdks/python',
    driver: ['python3', 'conformance/driver.py'],
    journey: ['python3', 'journey.py'],
    runtime: ['python3', '--version'],
  },
  {
    // AsyncManilla of the same package, without a journey of its own.
    language: 'asyncio',
    folder: 'sdks/python',
    driver: ['python3', 'conformance/driver.py', 'async'],
    journey: [],
    runtime: ['python3', '--version'],
  },
  {
    language: 'Go',
    folder: 'sdks/go',
    driver: ['go', 'run', './conformance'],
    journey: ['go', 'run', './journey'],
    runtime: ['go', 'version'],
    readmeTest: 'go.test.ts',
  },
  {
    language: 'PHP',
    folder: 'sdks/php',
    driver: ['php', 'conformance/driver.php'],
    journey: ['php', 'journey.php'],
    runtime: ['php', '-r', 'curl_version(); echo PHP_VERSION;'],
  },
]

/** Set where every runtime must be installed, as in continuous integration. */
const mustHaveAll = process.env.MANILLA_ALL_RUNTIMES === '1'

/** The SDKs that can run here, and the languages that are not installed. */
export function findSdks(): { present: Sdk[]; missing: string[] } {
  const present = sdks.filter(({ folder, runtime: [command, ...words] }) => {
    const { status } = spawnSync(command!, words, { cwd: path.join(root, folder) })
    return status === 0
  })
  const missing = sdks.filter((sdk) => !present.includes(sdk)).map(({ language }) => language)
  if (mustHaveAll && missing.length > 0) throw new Error(`Not installed: ${missing.join(', ')}.`)
  return { present, missing }
}

/** Starts a program of an SDK in its folder. */
export function startProgram(
  { folder }: Sdk,
  [command, ...words]: string[],
  variables: Record<string, string> = {},
) {
  return spawn(command!, words, {
    cwd: path.join(root, folder),
    env: { ...process.env, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}
