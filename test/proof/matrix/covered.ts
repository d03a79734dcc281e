import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Failpoint } from './faults.js'

/**
 * The tables that the paths of a group commit to and the calls that they make, by path. Kept in a
 * file of each group: every run of a path must come by at least what its file says, and
 * `coverage.test.ts` compares all files with the schema and the rails.
 */
export type Covered = Record<string, string[]>

export const coveredFolder = new URL('./covered/', import.meta.url)

const fileOf = (group: string) => new URL(`${group.replaceAll(' ', '-')}.json`, coveredFolder)

export function readCovered(group: string): Covered {
  try {
    return JSON.parse(readFileSync(fileOf(group), 'utf8'))
  } catch {
    return {}
  }
}

/** Other paths of the group keep what is written of them. */
export function writeCovered(group: string, paths: string[], found: Covered): void {
  const known = { ...readCovered(group), ...found }
  const kept = paths.filter((path) => known[path]).map((path) => [path, known[path]])
  mkdirSync(fileURLToPath(coveredFolder), { recursive: true })
  writeFileSync(fileOf(group), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
}

/** `commit payouts` for each table of a commit, `call solana getTransaction` for each RPC method. */
export function toCovered(failpoints: Failpoint[]): string[] {
  const names = failpoints.flatMap(({ kind, name }) => {
    if (kind === 'commit') return name.split(' ').map((table) => `commit ${table}`)
    const [rail, ...methods] = name.split(' ')
    if (rail !== 'solana') return [`call ${name}`]
    return methods.map((method) => `call solana ${method}`)
  })
  return [...new Set(names)].sort()
}
