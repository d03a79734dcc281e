/**
 * Lanes of one process whose transactions lock the same ledger accounts take turns, in the order in
 * which they ask. Without turns they would meet each other's locks, roll back and run again; while
 * one waits for its turn, its next group grows instead.
 */
export class Turns {
  #latest: Promise<void> = Promise.resolve()

  /** Resolves when it is the caller's turn, with the function that ends it. */
  async take(): Promise<() => void> {
    const before = this.#latest
    let endTurn = () => {}
    this.#latest = new Promise((resolve) => {
      endTurn = resolve
    })
    await before
    return endTurn
  }
}
