/**
 * Something that must hold over the whole database: a claim, and a query for the rows that would
 * disprove it. Rooms state theirs; `manilla verify-ledger` and the end of every storm check them
 * all.
 */
export type Proof = { claim: string; counterexamples: string }
