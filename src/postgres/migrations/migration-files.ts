import { readdir, readFile } from 'node:fs/promises'

const folders = {
  core: new URL('../../../migrations/', import.meta.url),
  /** The tables of test mode, which production may do without. */
  simulation: new URL('../../../migrations/simulation/', import.meta.url),
}

export type Scope = { simulation: boolean }

export type MigrationFile = { name: string; url: URL }

export type Migration = {
  name: string
  text: string
  /** Number of the migration that a process must know to run beside this one; see `besideLine`. */
  knownMin: string | undefined
}

/**
 * A migration that older processes tolerate says so in a line of its own. Without it, every process
 * that does not know the migration must be stopped before it is applied.
 */
const besideLine = /^-- Processes that know (\d{4}) may run beside this migration\.$/m

export async function readMigration({ name, url }: MigrationFile): Promise<Migration> {
  const text = await readFile(url, 'utf8')
  return { name, text, knownMin: besideLine.exec(text)?.[1] }
}

export async function listMigrations(scope: Scope): Promise<string[]> {
  return (await listFiles(scope)).map(({ name }) => name)
}

/** The core first: the simulation may refer to its tables, never the other way round. */
export async function listFiles({ simulation }: Scope): Promise<MigrationFile[]> {
  const { core, simulated } = await readFolders()
  return simulation ? [...core, ...simulated] : core
}

/** Number of the newest migration that this process knows. */
export async function findNewestKnown(): Promise<string> {
  const numbers = (await listMigrations({ simulation: true })).map(numberOf).sort()
  return numbers.at(-1)!
}

export function numberOf(name: string): string {
  return name.slice(0, 4)
}

type Folders = { core: MigrationFile[]; simulated: MigrationFile[] }

let read: Promise<Folders> | undefined

/** Read once: an upgrade may replace the files while this process runs. */
function readFolders(): Promise<Folders> {
  read ??= Promise.all([readFolder(folders.core), readFolder(folders.simulation)]).then(
    ([core, simulated]) => ({ core, simulated }),
  )
  return read
}

async function readFolder(folder: URL): Promise<MigrationFile[]> {
  const names = await readdir(folder)
  return names
    .filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ name: name.replace(/\.sql$/, ''), url: new URL(name, folder) }))
}
