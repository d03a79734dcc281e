import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { findAddressBytes } from '../../money/solana-address.js'
import { screeningLimits } from '../../screening/limits.js'
import { normaliseName } from '../../screening/normalise-name.js'

/** The parsed list: the entry of each wallet, and of each name as it is compared. */
export type SanctionsList = {
  source: string
  date: string
  /** Date and hash of the file, so that it names exactly what was compared. */
  version: string
  entries: number
  wallets: ReadonlyMap<string, string>
  names: ReadonlyMap<string, string>
}

/** What is wrong with a list file, with its line. */
export class ListProblem extends Error {}

/** The same file is valid once its date has come. */
export class FutureList extends ListProblem {}

type Fields = Record<string, unknown>

/**
 * Parses a list file: JSON Lines, a header and then one entry a line. Everything is checked, down
 * to the number of entries that the header names: half of a file must not count as a list. A list
 * dated in the future would look new for too long, so it is refused.
 */
export async function parseList(bytes: Buffer, now: Date): Promise<SanctionsList> {
  const { listBytesMax, linesPerTurn, entriesMax, dateAheadMaxMs } = screeningLimits
  if (bytes.length > listBytesMax)
    throw new ListProblem(`it has ${bytes.length} bytes; at most ${listBytesMax} are read`)
  const lines = decode(bytes).split('\n')
  if (lines.at(-1) === '') lines.pop()
  const header = readHeader(lines[0] ?? '')
  if (Date.parse(`${header.date}T00:00:00.000Z`) - dateAheadMaxMs > now.getTime())
    throw new FutureList(
      `its \`date\`, ${header.date}, is in the future: correct it, or the clock of this machine`,
    )
  if (header.entries > entriesMax)
    throw new ListProblem(`it names ${header.entries} entries; at most ${entriesMax} are read`)
  if (header.entries !== lines.length - 1)
    throw new ListProblem(
      `its header names ${header.entries} entries, and it has ${lines.length - 1}: copy it again`,
    )
  const wallets = new Map<string, string>()
  const names = new Map<string, string>()
  for (let index = 1; index < lines.length; index += 1) {
    if (index % linesPerTurn === 0) await nextTurn()
    addEntry(lines[index]!, index + 1, { wallets, names })
  }
  const hash = createHash('sha256')
    .update(bytes)
    .digest('hex')
    .slice(0, screeningLimits.versionHashLength)
  return { ...header, version: `${header.date} ${hash}`, wallets, names }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ListProblem('it is not UTF-8')
  }
}

function readHeader(line: string): Pick<SanctionsList, 'source' | 'date' | 'entries'> {
  const { source, date, entries } = parseLine(line, 1)
  if (!isText(source)) throw wrong(1, '`source` must be a text')
  if (!isDay(date)) throw wrong(1, '`date` must be a day such as 2026-11-18')
  if (typeof entries !== 'number' || !Number.isSafeInteger(entries) || entries < 0)
    throw wrong(1, '`entries` must be the number of the lines that follow')
  return { source, date, entries }
}

function addEntry(
  line: string,
  number: number,
  { wallets, names }: { wallets: Map<string, string>; names: Map<string, string> },
): void {
  const { id, program, name, aliases = [], addresses = [] } = parseLine(line, number)
  if (!isText(id)) throw wrong(number, '`id` must be a text')
  if (program !== undefined && !isText(program)) throw wrong(number, '`program` must be a text')
  if (name !== undefined && !isText(name)) throw wrong(number, '`name` must be a text')
  if (!isTexts(aliases)) throw wrong(number, '`aliases` must be a list of texts')
  if (!isTexts(addresses)) throw wrong(number, '`addresses` must be a list of texts')
  const entry = program === undefined ? id : `${id} (${program})`
  const spellings = name === undefined ? aliases : [name, ...aliases]
  if (spellings.length + addresses.length === 0)
    throw wrong(number, 'an entry has a `name`, `aliases` or `addresses`')
  for (const address of addresses) {
    if (!findAddressBytes(address)) throw wrong(number, `${address} is not a Solana address`)
    if (!wallets.has(address)) wallets.set(address, entry)
  }
  for (const spelling of spellings) {
    const compared = normaliseName(spelling)
    if (compared === '') throw wrong(number, 'a name has no letter or digit')
    if (!names.has(compared)) names.set(compared, entry)
  }
}

function parseLine(line: string, number: number): Fields {
  if (line.length > screeningLimits.lineLengthMax) throw wrong(number, 'the line is too long')
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    throw wrong(number, 'it is not JSON')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw wrong(number, 'it is not a JSON object')
  return parsed as Fields
}

/** Stored and shown, so without what PostgreSQL cannot read back. */
export function isText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= screeningLimits.textLengthMax &&
    value.isWellFormed() &&
    !value.includes('\0')
  )
}

function isTexts(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.length <= screeningLimits.namesPerEntryMax && value.every(isText)
  )
}

function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const at = new Date(`${value}T00:00:00.000Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value)
}

function wrong(line: number, what: string): ListProblem {
  return new ListProblem(`line ${line}: ${what}`)
}
