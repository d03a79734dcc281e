import { readFile, stat } from 'node:fs/promises'
import type { Clock } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { screeningLimits } from '../../screening/limits.js'
import { normaliseName } from '../../screening/normalise-name.js'
import type { ListState, ScreeningSubject, ScreeningVerdict } from '../../screening/ports.js'
import { FutureList, ListProblem, parseList, type SanctionsList } from './parse-list.js'

/** The list in memory, which follows its file. */
type ListFile = {
  match(subject: ScreeningSubject): ScreeningVerdict
  state(): ListState
  /** Reads the file again if it has changed. A bad one is logged, and the list before stays. */
  refresh(): Promise<void>
  stop(): void
}

/** Reads the file once and throws if it cannot be used: money must not move unscreened. */
export async function openListFile(
  file: string,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<ListFile> {
  const explain = (error: unknown): never => {
    throw new Error(
      `SCREENING_LIST: ${file} cannot be used: ${describe(error)}. Put a list there, or correct the path (docs/operating/screening.md).`,
    )
  }
  /** Of the file that was read last, good or bad. */
  let mark: string | undefined = await markOf(file).catch(explain)
  let list = await readListFile(file, clock.now()).catch(explain)
  let problem: string | null = null
  let refreshing: Promise<void> | undefined

  async function readAgain(): Promise<void> {
    try {
      const found = await markOf(file).catch((error: unknown) => {
        mark = undefined
        throw error
      })
      if (found === mark) return
      mark = found
      list = await readListFile(file, clock.now())
      problem = null
      logger.info({ version: list.version, entries: list.entries }, 'screening list was read')
    } catch (error) {
      if (error instanceof FutureList) mark = undefined
      const why = describe(error)
      if (why !== problem)
        logger.error(
          { why, version: list.version },
          'the screening list cannot be read: the one before is still used',
        )
      problem = why
    }
  }

  const refresh = () => {
    refreshing ??= readAgain().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }
  const timer = setInterval(() => void refresh(), screeningLimits.listCheckIntervalMs)
  timer.unref()
  return {
    match: (subject) => match(list, subject),
    state: () => {
      const { source, date, version, entries } = list
      return { file, source, date, version, entries, problem }
    },
    refresh,
    stop: () => clearInterval(timer),
  }
}

/** Changes whenever the file is written or replaced. */
async function markOf(file: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(file)
  if (size > screeningLimits.listBytesMax)
    throw new ListProblem(`it has ${size} bytes; at most ${screeningLimits.listBytesMax} are read`)
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
}

export async function readListFile(file: string, now: Date): Promise<SanctionsList> {
  return parseList(await readFile(file), now)
}

function match(list: SanctionsList, { kind, value }: ScreeningSubject): ScreeningVerdict {
  const entry =
    kind === 'wallet' ? list.wallets.get(value.trim()) : list.names.get(normaliseName(value))
  const screened = { list: list.source, version: list.version }
  return entry === undefined
    ? { verdict: 'clear', ...screened }
    : { verdict: 'hit', ...screened, entry }
}

/** For operators: a missing file, or what is wrong with it. */
function describe(error: unknown): string {
  if (error instanceof ListProblem) return error.message
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message
}
