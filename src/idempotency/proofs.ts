import type { Proof } from '../base/proof.js'

export const idempotencyProofs: Proof[] = [
  {
    claim: 'Every idempotency key has its answer',
    counterexamples: `
      select environment_id, key from idempotency_keys where status is null or answer is null`,
  },
]
