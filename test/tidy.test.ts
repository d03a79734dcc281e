import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { floors as described } from './support/modules.js'

/** Checks the modules of ARCHITECTURE.md: allowed imports and exclusive rights. */

const floors = described.map((modules) => modules.map(({ name }) => name))

const root = path.resolve(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
})
  .toString()
  .trim()
  .split('\n')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const sources = tracked.filter((file) => /^src\/.*\.ts$/.test(file))
const emulators = tracked.filter((file) => /^emulators\/.*\.ts$/.test(file))
const generated = ['sdk/src/types.ts', 'sdk/src/resources.ts', 'sdk/cli/flags.ts']
const client = tracked.filter(
  (file) => /^sdk\/.*\.(ts|mjs)$/.test(file) && !generated.includes(file),
)

const examples = tracked.filter((file) => /^examples\/.*\.mjs$/.test(file))

function moduleOf(file: string): string {
  return file.split('/')[1]!
}

function floorOf(file: string): number {
  return floors.findIndex((modules) => modules.includes(moduleOf(file)))
}

const importsByFile = new Map<string, string[]>()

/** Read once: following the imports of every file asks for them thousands of times. */
function importsOf(file: string): string[] {
  const known = importsByFile.get(file)
  if (known) return known
  const text = read(file).replaceAll(allowedCircle, '')
  const imports = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, target]) =>
    path.join(path.dirname(file), `${target}.ts`),
  )
  importsByFile.set(file, imports)
  return imports
}

/**
 * The localnet_* methods open and close nodes of the network whose nodes serve them, so they name
 * its type. Every other circle is an error.
 */
const allowedCircle = /import type \{ LocalnetNetwork \} from '[./a-z]+network\.js'/g

function importsItself(file: string): boolean {
  const seen = new Set<string>()
  const waiting = importsOf(file)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next === file) return true
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...importsOf(next))
  }
  return false
}

/** Files that match a pattern without being allowed to. */
function offenders(pattern: RegExp, isAllowed: (file: string) => boolean): string[] {
  return [...sources, ...emulators].filter(
    (file) => !isAllowed(file) && pattern.test(withoutComments(read(file))),
  )
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

describe('modules', () => {
  test('every file is in a listed module', () => {
    expect(sources.filter((file) => floorOf(file) < 0)).toEqual([])
  })

  test('a module imports from the floors below, never from its own or above', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => moduleOf(target) !== moduleOf(file))
        .filter((target) => floorOf(target) >= floorOf(file))
        .map((target) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  // The live service must work without it.
  test('only the processes import the simulation', () => {
    const wrong = sources
      .filter((file) => !['simulation', 'processes'].includes(moduleOf(file)))
      .filter((file) => importsOf(file).some((target) => moduleOf(target) === 'simulation'))
    expect(wrong).toEqual([])
  })

  // The live service is built without them. Types are not needed at run time.
  test('only the processes import the emulators', () => {
    const importing = /^import (?!type)[^']*'#emulators|import\('#emulators/m
    const wrong = sources
      .filter((file) => importing.test(read(file)))
      .filter((file) => moduleOf(file) !== 'processes')
    expect(wrong).toEqual([])
  })

  // A double that shared code with the rails would share their mistakes.
  test('the emulators import nothing else of the repository', () => {
    const strange = emulators.flatMap((file) =>
      [...read(file).matchAll(/from '([^']+)'/g)]
        .map(([, from]) => from!)
        .filter((from) => !/^node:/.test(from))
        .filter((from) => !path.join(path.dirname(file), from).startsWith('emulators/'))
        .map((from) => `${file}: ${from}`),
    )
    expect(strange).toEqual([])
  })

  test('ARCHITECTURE.md names every module on its floor', () => {
    const [, picture = ''] = /```modules\n([\s\S]*?)```/.exec(read('ARCHITECTURE.md')) ?? []
    const named = picture
      .trim()
      .split('\n')
      .map((line) => line.split(/\s{2,}/)[0]!.split(' '))
    expect(named).toEqual(floors.toReversed())
  })

  test('no file imports itself through others', () => {
    expect([...sources, ...emulators].filter(importsItself)).toEqual([])
  })

  test('imports go to files that exist', () => {
    const files = [...sources, ...emulators]
    const missing = files.flatMap((file) => importsOf(file).filter((to) => !files.includes(to)))
    expect(missing).toEqual([])
  })
})

describe('exclusive rights', () => {
  test('only config.ts reads environment variables', () => {
    expect(offenders(/process\.env/, (file) => file === 'src/base/config.ts')).toEqual([])
  })

  test('only clock.ts reads the time', () => {
    const telling = /Date\.now\(|new Date\(\)|performance\.now\(|hrtime/
    expect(offenders(telling, (file) => file === 'src/base/clock.ts')).toEqual([])
  })

  test('only the ledger writes money tables', () => {
    const writing = /(insert into|update|delete from)\s+ledger_|(insertInto|Table)\('ledger_/i
    expect(offenders(writing, (file) => file.startsWith('src/ledger/'))).toEqual([])
  })

  test('money is never converted to floats', () => {
    expect(
      offenders(/toFixed\(|parseFloat\(/, (file) => file === 'src/processes/welcome.ts'),
    ).toEqual([])
  })
})

describe('names and line lengths', () => {
  const written = tracked.filter((file) =>
    /^(src|emulators|test|bench|bin|drills|scripts|tools|web|sdk|examples)\/.*\.(ts|mjs)$/.test(
      file,
    ),
  )

  test('files are kebab-case, without vague names', () => {
    const vague = /(^|-)(utils?|helpers?|common|manager|service|misc|index)(\.|-|$)/
    const names = written.map((file) => path.basename(file))
    expect(
      names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.(ts|mjs)$/.test(name)),
    ).toEqual([])
    expect(names.filter((name) => vague.test(name))).toEqual([])
  })

  test('lines stay under 101 characters', () => {
    // Long message strings stay on one line, so that they can be searched.
    const isLong = (line: string) => line.length > 100 && !/(['"`]).{50,}\1(,| \+)?$/.test(line)
    const shipped = [...sources, ...emulators, ...client, ...examples]
    const wide = shipped.flatMap((file) =>
      read(file)
        .split('\n')
        .filter(isLong)
        .map((line) => `${file}: ${line.trim()}`),
    )
    expect(wide).toEqual([])
  })

  test('no postponed work on main', () => {
    const later = new RegExp(
      `\\b(${['TO', 'FIX'].map((start, i) => start + ['DO', 'ME'][i]).join('|')})\\b`,
    )
    expect(written.filter((file) => later.test(read(file)))).toEqual([])
  })

  // Merges keep both sides of its lines, and so may keep one twice.
  test('the changelog lists each change once', () => {
    const lines = read('CHANGELOG.md').split('\n')
    const isDoubled = (line: string, at: number) => line !== '' && lines.indexOf(line) !== at
    const wrong = lines.filter((line, at) => isDoubled(line, at) && !line.startsWith('#'))
    expect([...wrong, ...lines.filter((line) => /^(<{7}|={7}|>{7})/.test(line))]).toEqual([])
  })
})

describe('what is shipped', () => {
  test.each(['package-lock.json', 'tools/package-lock.json', 'plugins/medusa/package-lock.json'])(
    '%s names no download addresses',
    (file) => {
      // The plug-in links to the SDK in this repository.
      expect(read(file).replace('"resolved": "../../sdk"', '')).not.toMatch(/"resolved":/)
    },
  )

  // It runs wherever there is fetch and Web Crypto, not only in Node. Only sdk/react needs React,
  // which a page that uses it has.
  test('the client has no dependencies', () => {
    const manifest = JSON.parse(read('sdk/package.json'))
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest
    expect({ ...dependencies, ...optionalDependencies }).toEqual({})
    expect(Object.keys(peerDependencies)).toEqual(['react'])
    expect(peerDependenciesMeta).toEqual({ react: { optional: true } })
    const strange = client
      .filter((file) => /^sdk\/(src|react)\//.test(file))
      .flatMap((file) =>
        [...read(file).matchAll(/from '([^']+)'/g)].map(([, from]) => [file, from!]),
      )
      .filter(([, from]) => !from!.startsWith('./'))
    expect(strange).toEqual([['sdk/react/react.ts', 'react']])
  })

  // A copied example needs only Node and the SDK.
  test('the examples depend on the SDK only', () => {
    const strange = examples
      .filter((file) => !file.endsWith('/start.mjs'))
      .flatMap((file) => [...read(file).matchAll(/from '([^']+)'/g)].map(([, from]) => from!))
      .filter((from) => !/^(node:|\.\/|manilla$)/.test(from))
    expect(strange).toEqual([])
  })

  test('dependencies are pinned', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'))
    const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })
    expect(
      versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version))),
    ).toEqual([])
  })
})
