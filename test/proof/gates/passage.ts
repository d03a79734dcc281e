/**
 * Where an instance meets what survives it: the commit of a transaction, or a call to a bank, a
 * chain or a webhook receiver. All of it crosses the network, so gates on the network find every
 * passage, also those of code that does not exist yet.
 */
export type Passage = {
  kind: 'commit' | 'call'
  /** The tables that a commit writes, or the operation that is called. */
  name: string
}

/** `fail`: without the effect. `repeat`: the effect is asked for twice, as by a proxy that retries. */
export type Entry = 'pass' | 'fail' | 'repeat'

/** `lose`: the effect has happened, and the instance does not get the answer. */
export type Exit = 'pass' | 'lose'

/** Decides about passages. It may wait, which makes an answer late, and may kill the instance. */
export type Keeper = {
  enter(passage: Passage): Promise<Entry>
  leave(passage: Passage): Promise<Exit>
}
