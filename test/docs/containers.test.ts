import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig, variables } from '../../src/base/config.js'
import { root } from '../support/doc-pages.js'
import { isLongRun } from '../support/long-run.js'
import { composeVariables } from '../support/render-env-example.js'

/** Tests run without Docker: checks what can be known without it. */

const read = (name: string) => readFileSync(path.join(root, name), 'utf8')
const dockerfile = read('Dockerfile').replaceAll(/\\\n\s*/g, '')
const instructions = dockerfile.split('\n').flatMap((line) => {
  const [, name, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
  return name ? [{ name, rest: rest! }] : []
})
const stages = instructions.reduce<{ name: string; rest: string }[][]>((all, one) => {
  if (one.name === 'FROM') all.push([])
  all.at(-1)!.push(one)
  return all
}, [])
const final = stages.at(-1)!
const of = (name: string) => final.filter((one) => one.name === name).map(({ rest }) => rest)
const copied = instructions
  .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
  .flatMap(({ rest }) => rest.split(' ').slice(0, -1))
const known = [...Object.keys(variables.properties), ...Object.keys(composeVariables)]

describe('the image', () => {
  test('copies files that exist and that .dockerignore includes', () => {
    expect(copied.filter((name) => !existsSync(path.join(root, name)))).toEqual([])
    const [first, ...allowed] = read('.dockerignore').trim().split('\n')
    expect(first).toBe('*')
    expect(allowed.map((line) => line.slice(1)).sort()).toEqual([...new Set(copied)].sort())
  })

  // Runs the stages by hand: with copied files only, and without sources or compiler at the end.
  test.runIf(isLongRun)('builds from the copied files and runs without the sources', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'manilla-image-'))
    const place = (stage: typeof final, name: string, from: string) => {
      for (const { name: instruction, rest } of stage) {
        const [source, target = ''] = rest.replace(/^--from=\w+ \/app\//, '').split(/ (?=\S+$)/)
        if (instruction !== 'COPY' || target === 'node_modules') continue
        for (const file of source!.split(' ')) {
          const isFromBuild = rest.startsWith('--from=build')
          const to = target === './' ? file : target
          const filter = (one: string) => !/\/sdk\/dist(\/|$)/.test(one)
          const options = { recursive: true, filter }
          cpSync(path.join(isFromBuild ? from : root, file), path.join(folder, name, to), options)
        }
      }
      symlinkSync(path.join(root, 'node_modules'), path.join(folder, name, 'node_modules'))
    }
    try {
      place(stages[0]!, 'build', root)
      execFileSync(process.execPath, ['bin/build-when-needed.mjs'], {
        cwd: path.join(folder, 'build'),
        stdio: 'pipe',
      })
      place(final, 'image', path.join(folder, 'build'))
      const command = ['bin/manilla.mjs', '--help']
      const help = execFileSync(process.execPath, command, { cwd: path.join(folder, 'image') })
      expect(help.toString()).toContain('serve')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('does not run as root, has a health check and a stop signal', () => {
    expect(of('USER')).toEqual(['node'])
    expect(JSON.parse(of('ENTRYPOINT')[0]!)).toEqual(['node', 'bin/manilla.mjs'])
    expect(JSON.parse(of('CMD')[0]!)).toEqual(['serve'])
    const check = /CMD (\[.*\])$/.exec(of('HEALTHCHECK')[0]!)![1]!
    expect(JSON.parse(check)).toEqual(['node', 'bin/healthcheck.mjs'])
  })

  test('contains every file that the service reads, and no secret', () => {
    const files = final
      .filter(({ name }) => name === 'COPY')
      .map(({ rest }) => rest.split(' ').at(-1))
    expect(files).toEqual(['./', 'bin', 'docs', 'migrations', 'node_modules', 'dist'])
    const set = of('ENV').flatMap((rest) => rest.split(' ').map((pair) => pair.split('=')[0]!))
    expect(set).toEqual(['NODE_ENV', 'HOST', 'PORT'])
    expect(dockerfile).not.toMatch(/\bARG\b/)
  })

  // 24 is a long-term release with security fixes until April 2028; those of 20 ended in April 2026.
  test('uses one supported Node image in every stage', () => {
    const bases = stages.map(([from]) => from!.rest.split(' ')[0])
    expect(new Set(bases).size).toBe(1)
    expect(bases[0]).toMatch(/^node:24-\w+-slim/)
    expect(read('Dockerfile')).not.toMatch(/node:(?!24-)/)
  })
})

type Service = {
  command?: string[]
  environment: Record<string, string>
  env_file?: string
  read_only?: boolean
  healthcheck?: { test?: string[] }
  ports?: string[]
}

describe('compose.yaml', () => {
  const text = read('compose.yaml')
  const compose = parse(text, { merge: true }) as {
    services: Record<string, Service>
    volumes: object
  }
  const { api, worker, database } = compose.services

  test('runs the API, a worker and a database', () => {
    expect(Object.keys(compose.services)).toEqual(['api', 'worker', 'database'])
    expect([api!.command, worker!.command]).toEqual([['serve'], ['work']])
    // That of the image knows both commands.
    expect([api!.healthcheck, worker!.healthcheck]).toEqual([undefined, undefined])
    expect(database!.healthcheck).toBeDefined()
    expect(compose.volumes).toHaveProperty('database')
    for (const service of [api, worker])
      expect(service).toMatchObject({ env_file: '.env', read_only: true, init: true })
  })

  test('publishes the API on loopback only, and not the database', () => {
    expect(api!.ports).toEqual([`127.0.0.1:${'$'}{PORT:-8080}:8080`])
    expect([worker!.ports, database!.ports]).toEqual([undefined, undefined])
  })

  test('uses existing variables and contains no secret', () => {
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!)
    expect(asked.filter((name) => !known.includes(name))).toEqual([])
    const set = Object.keys(api!.environment)
    expect(set.filter((name) => !known.includes(name))).toEqual([])
    for (const name of ['MANILLA_SECRET', 'DATABASE_URL'])
      expect(api!.environment[name]).toMatch(/\$\{\w+:\?set it in \.env\}/)
  })
})

describe('.env.example', () => {
  const lines = read('.env.example').split('\n')
  const entries = lines.flatMap((line) => {
    const [, name, value] = /^#?([A-Z][A-Z_]+)=(.*)$/.exec(line) ?? []
    return name ? [[name, value!] as const] : []
  })

  test('lists every variable once', () => {
    expect(entries.map(([name]) => name).toSorted()).toEqual(known.toSorted())
  })

  // Uncommenting a line must not change behaviour.
  test('shows the default values', () => {
    const given = Object.fromEntries(entries.filter(([, value]) => value !== ''))
    const needed = { DATABASE_URL: 'postgres://x', MANILLA_SECRET: 's'.repeat(32) }
    expect(readConfig({ ...given, ...needed })).toEqual(readConfig(needed))
  })
})

describe('the checklist for going live', () => {
  test('names every variable', () => {
    const page = read('docs/guides/going-live.md')
    const missing = Object.keys(variables.properties).filter(
      (name) => !page.includes(`\`${name}\``),
    )
    expect(missing).toEqual([])
  })
})
