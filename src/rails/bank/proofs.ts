import type { Proof } from '../../base/proof.js'

export const bankProofs: Proof[] = [
  {
    claim: 'No payout whose every sending the bank refused is completed',
    counterexamples: `
      select o.rail, o.token from bank_orders o
      join payout_attempts a on a.rail = o.rail and a.token = o.token
      where o.closed_at is not null and a.state = 'LANDED'`,
  },
  {
    claim: 'Every order that was sent to a bank is an attempt of a payout',
    counterexamples: `
      select o.rail, o.token from bank_orders o
      where not exists (select from payout_attempts a
        where a.rail = o.rail and a.token = o.token)`,
  },
  {
    claim: 'Every account of a provider is the one that it opened for the reference',
    counterexamples: `
      select c.environment_id, c.id from collection_accounts c
      join opened_bank_accounts o on o.rail = c.rail and o.reference = c.rail_account
      where c.number <> o.number`,
  },
]
