import { Refusal } from '../../base/refusal.js'

/**
 * The payouts of this process that are being prepared, or are prepared and not committed yet.
 *
 * A rail checks the payouts of a batch one after the other, each against what the ones before it
 * leave of the treasury. So "short" can mean that money is missing, or only that a neighbour has
 * reserved it that may be refused a moment later. A payout that is found short therefore waits for
 * its neighbours to be committed or refused, and is prepared again.
 */
export class UnfinishedPayouts {
  readonly #unfinished = new Set<Promise<void>>()

  /** Counts one more; the caller calls the returned function when it is committed or refused. */
  begin(): () => void {
    let resolve: () => void
    const finished = new Promise<void>((done) => {
      resolve = done
    })
    this.#unfinished.add(finished)
    return () => {
      this.#unfinished.delete(finished)
      resolve()
    }
  }

  /** Waits until the payouts that are unfinished now are committed or refused; returns how many. */
  async waitForNeighbours(): Promise<number> {
    const neighbours = [...this.#unfinished]
    await Promise.all(neighbours)
    return neighbours.length
  }
}

export function isTreasuryShort(outcome: unknown): outcome is Refusal {
  return outcome instanceof Refusal && outcome.reason === 'treasury_short'
}
