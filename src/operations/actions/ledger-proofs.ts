import Type from 'typebox'
import { orNull, resource } from '../../base/shapes.js'
import { auditOperator } from '../changes/audit-operator.js'
import { type Action, command, route } from '../definitions/definition.js'
import { time } from '../definitions/views.js'
import { listLedgerProofs, requestLedgerProof } from '../proofs/ledger-proofs.js'
import { allProofs, verifyLedger } from '../proofs/verify-ledger.js'

const proof = resource('Proof', {
  id: Type.String(),
  requestedBy: Type.String(),
  requestedAt: time,
  endedAt: orNull(time),
  isClean: orNull(Type.Boolean()),
  claims: orNull(Type.Integer()),
  violations: orNull(
    Type.Array(Type.Object({ claim: Type.String(), counterexamples: Type.Array(Type.Unknown()) })),
  ),
  failure: orNull(Type.String()),
})

/** Proofs of the ledger: at once by a command, else by a worker. */
export const ledgerProofActions: Action[] = [
  command({
    name: 'verify-ledger',
    description: 'check every ledger invariant against every row',
    /** Exits with 1 when an invariant is violated, so that a scheduler can alert. */
    async run({ db, terminal: { startProgress, paint } }) {
      const progress = startProgress('Checking every claim against every row', allProofs.length)
      const results = await verifyLedger(db, allProofs, { onChecked: progress.step }).finally(
        progress.end,
      )
      const isClean = results.every(({ counterexamples }) => counterexamples.length === 0)
      if (!isClean) process.exitCode = 1
      const lines = results.flatMap(({ claim, counterexamples }) => [
        `${counterexamples.length === 0 ? paint('green', '✓') : paint('red', '✗')} ${claim}`,
        ...counterexamples.map((row) => `    ${toText(row)}`),
      ])
      const verdict = isClean
        ? 'The ledger is consistent.'
        : 'THE LEDGER IS INCONSISTENT. Stop payouts and investigate.'
      return {
        data: { isClean, findings: JSON.parse(toText(results)) },
        text: [...lines, '', verdict],
      }
    },
  }),
  route({
    request: 'GET /ledger-proofs',
    operation: 'listLedgerProofs',
    summary: 'Proofs of the ledger',
    view: Type.Object({ items: Type.Array(proof), claims: Type.Integer() }),
    run: async ({ db }) => ({ items: await listLedgerProofs(db), claims: allProofs.length }),
  }),
  route({
    request: 'POST /ledger-proofs/run',
    operation: 'runLedgerProof',
    summary: 'Prove the ledger now',
    view: Type.Object({ id: Type.String() }),
    run: ({ db, now, operator }) =>
      db.transaction(async (tx) => {
        const proof = await requestLedgerProof(tx, now, operator.userId)
        auditOperator(tx, now, operator, { action: 'ledger.prove', details: {} })
        return proof
      }),
  }),
]

function toText(value: unknown): string {
  return JSON.stringify(value, (_key, field) => (typeof field === 'bigint' ? `${field}` : field))
}
