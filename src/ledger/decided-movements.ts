import type { RealTime } from '../base/clock.js'
import type { Tx } from '../postgres/transactions/tx.js'
import type { Book } from './book.js'
import { insertMoved, writeMovements } from './move.js'
import type { Moved, Movement, NotMoved } from './movement.js'

/** Movements that are decided one after the other, and written together once all are made. */
export class DecidedMovements {
  readonly book: Book
  readonly #tx: Tx
  readonly #movements: Movement[] = []
  readonly #outcomes: (Moved | NotMoved)[] = []

  constructor(tx: Tx, book: Book) {
    this.#tx = tx
    this.book = book
  }

  move(movement: Movement): Moved | NotMoved {
    const outcome = this.book.move(movement)
    this.#movements.push(movement)
    this.#outcomes.push(outcome)
    return outcome
  }

  /** Only for the first write of the book. */
  write(now: RealTime): void {
    writeMovements(this.#tx, now, this.book, this.#decided())
  }

  /** For a caller that writes the book with what else it decides in it. */
  writeTransfers(now: RealTime): void {
    insertMoved(this.#tx, now, this.#decided())
  }

  #decided() {
    return { movements: this.#movements, outcomes: this.#outcomes }
  }
}
