import type { LedgerAccountName } from '../../src/ledger/accounts.js'
import type {
  Moved,
  Movement,
  MovementEntry,
  MovementLine,
  NotMoved,
} from '../../src/ledger/movement.js'
import type { Resolution } from '../../src/ledger/resolve.js'
import type { Asset } from '../../src/money/assets.js'

type Place = { environmentId: number; asset: Asset }
type Transfer = Place & MovementLine & MovementEntry & { causeId: string; isHold: boolean }
type StatementLine = { change: bigint; availableAfter: bigint; kind: string; causeId: string }

const largestSum = 2n ** 63n - 1n
const largestNaira = 2n ** 53n - 1n

/** A repeated cause and purpose: the whole batch must fail. */
export class Repeated extends Error {}

/**
 * A model of the ledger in plain arithmetic: a list of movements, summed for every question. It shares
 * no code with the real ledger.
 */
export class LedgerModel {
  readonly transfers: Transfer[]
  readonly verbs: Map<string, 'settle' | 'release'>
  readonly statements: Map<string, StatementLine[]>

  constructor(other?: LedgerModel) {
    this.transfers = [...(other?.transfers ?? [])]
    this.verbs = new Map(other?.verbs)
    this.statements = new Map(
      [...(other?.statements ?? [])].map(([key, lines]) => [key, [...lines]]),
    )
  }

  /** All or nothing; returns a new model. */
  moveAll(movements: Movement[]): { after: LedgerModel; outcomes: (Moved | NotMoved)[] } {
    const after = new LedgerModel(this)
    const outcomes = movements.map((movement) => after.#move(movement))
    return { after, outcomes }
  }

  resolveAll(resolutions: Resolution[]): { after: LedgerModel; outcomes: boolean[] } {
    const after = new LedgerModel(this)
    const outcomes = resolutions.map((resolution) => after.#resolve(resolution))
    return { after, outcomes }
  }

  sumsOf(place: Place, name: LedgerAccountName) {
    const sum = (side: 'debit' | 'credit', isCounted: (transfer: Transfer) => boolean) =>
      this.transfers
        .filter((each) => isSame(each, place) && each[side] === name && isCounted(each))
        .reduce((total, { amount }) => total + amount, 0n)
    const isPending = (each: Transfer) => each.isHold && !this.verbs.has(causeOf(each))
    const isPosted = (each: Transfer) => !each.isHold || this.verbs.get(causeOf(each)) === 'settle'
    return {
      debitsPending: sum('debit', isPending),
      debitsPosted: sum('debit', isPosted),
      creditsPending: sum('credit', isPending),
      creditsPosted: sum('credit', isPosted),
    }
  }

  statementOf(place: Place): StatementLine[] {
    return this.statements.get(`${place.environmentId}/${place.asset}`) ?? []
  }

  spendable(place: Place, name: LedgerAccountName): bigint {
    const { creditsPosted, debitsPosted, debitsPending } = this.sumsOf(place, name)
    return creditsPosted - debitsPosted - debitsPending
  }

  #move(movement: Movement): Moved | NotMoved {
    const attempt = new LedgerModel(this)
    const entries: MovementEntry[] = []
    for (const line of movement.lines) {
      const why = attempt.#refusal(movement, line)
      if (why) return { isMoved: false, why, available: this.spendable(movement, line.debit) }
      entries.push(attempt.#add(movement, line))
    }
    for (const { causeId, purpose } of attempt.transfers.slice(this.transfers.length)) {
      const isThere = this.transfers.some(
        (each) =>
          each.environmentId === movement.environmentId &&
          each.causeId === causeId &&
          each.purpose === purpose,
      )
      if (isThere) throw new Repeated()
    }
    this.transfers.push(...attempt.transfers.slice(this.transfers.length))
    for (const [key, lines] of attempt.statements) this.statements.set(key, lines)
    return { isMoved: true, entries }
  }

  #refusal(movement: Movement, line: MovementLine): NotMoved['why'] | undefined {
    const isOwed = line.debit === 'available' || line.debit === 'suspense'
    if (isOwed && this.spendable(movement, line.debit) < line.amount) return 'not_covered'

    const debit = this.sumsOf(movement, line.debit)
    const credit = this.sumsOf(movement, line.credit)
    const [debits, credits] = movement.isHold
      ? [debit.debitsPending, credit.creditsPending]
      : [debit.debitsPosted, credit.creditsPosted]
    if (debits + line.amount > largestSum || credits + line.amount > largestSum)
      return 'beyond_limit'

    const owed = credit.creditsPosted + credit.creditsPending - credit.debitsPosted + line.amount
    const largest = movement.asset === 'NGN' ? largestNaira : largestSum
    const isOwing = line.credit === 'available' || line.credit === 'suspense'
    return isOwing && owed > largest ? 'beyond_limit' : undefined
  }

  #add(movement: Movement, line: MovementLine): MovementEntry {
    const { environmentId, asset, causeId, isHold } = movement
    const change =
      line.debit === 'available' ? -line.amount : line.credit === 'available' ? line.amount : null
    const added = { environmentId, asset, causeId, isHold, ...line }
    this.transfers.push({ ...added, entryNumber: null, availableAfter: null })
    if (change === null) return { entryNumber: null, availableAfter: null }
    return this.#note(movement, { change, kind: isHold ? 'hold' : 'post', causeId })
  }

  #resolve({ environmentId, causeId, verb }: Resolution): boolean {
    const cause = causeOf({ environmentId, causeId })
    if (this.verbs.has(cause)) return false
    this.verbs.set(cause, verb)
    const lines = this.transfers.filter((each) => each.isHold && causeOf(each) === cause)
    if (verb === 'release' && lines[0]!.debit === 'available') {
      const change = lines.reduce((total, { amount }) => total + amount, 0n)
      this.#note(lines[0]!, { change, kind: 'release', causeId })
    }
    return true
  }

  #note(place: Place, line: Omit<StatementLine, 'availableAfter'>): MovementEntry {
    const lines = this.statementOf(place)
    const availableAfter = this.spendable(place, 'available')
    const longer = [...lines, { ...line, availableAfter }]
    this.statements.set(`${place.environmentId}/${place.asset}`, longer)
    return { entryNumber: BigInt(longer.length), availableAfter }
  }
}

function isSame(left: Place, right: Place): boolean {
  return left.environmentId === right.environmentId && left.asset === right.asset
}

function causeOf({ environmentId, causeId }: { environmentId: number; causeId: string }): string {
  return `${environmentId}/${causeId}`
}
