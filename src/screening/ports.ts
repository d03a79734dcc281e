import type { Mode } from '../base/environment.js'

/** A wallet or a name that sends money to us or is to receive some. */
export type ScreeningSubject = { kind: 'wallet' | 'name'; value: string; mode: Mode }

export type ScreeningHit = { verdict: 'hit'; list: string; version: string; entry: string }

/** Why money waits for members. `unknown`: it was not screened. */
export type ScreeningFinding = ScreeningHit | { verdict: 'unknown'; why: string }

/** What a list or a provider reports about a subject. */
export type ScreeningVerdict =
  | { verdict: 'clear'; list: string; version: string }
  | ScreeningFinding

/** What operators see of the list file. */
export type ListState = {
  file: string
  source: string
  /** Day of publication, as the file names it. */
  date: string
  version: string
  entries: number
  /** Why a newer file is not used; null: the newest is. */
  problem: string | null
}

type ScreeningState = { list: ListState | null; provider: string | null }

/** Compares senders and destinations of money with lists of sanctioned wallets and names. */
export interface Screening {
  /** Whether a provider is queried, so that `screenNow` finds hits on the list file only. */
  readonly asksProvider: boolean
  /** Without waiting, for lanes. Without a hit on the file, and with a provider: unknown. */
  screenNow(subject: ScreeningSubject): ScreeningVerdict
  /** Verdicts in the order of the list. Never throws: what fails is unknown. */
  screen(subjects: ScreeningSubject[]): Promise<ScreeningVerdict[]>
  state(): ScreeningState
  /** Reads the list file again if it has changed, which also happens by itself. */
  refresh(): Promise<void>
  stop(): void
}
