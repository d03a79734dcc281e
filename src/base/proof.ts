/**
 * An invariant of the whole database: a claim, and a query for the rows that disprove it. Modules
 * list theirs in `proofs.ts`; `manilla verify-ledger` and every storm test check all of them.
 */
export type Proof = { claim: string; counterexamples: string }
