import type { Proof } from '../base/proof.js'

export const eventProofs: Proof[] = [
  {
    claim: 'Every delivery links an event and an endpoint of its own environment',
    counterexamples: `
      select d.environment_id, d.event_id, d.endpoint_id from deliveries d
      where not exists (select from events e
          where e.environment_id = d.environment_id and e.id = d.event_id)
        or not exists (select from webhook_endpoints w
          where w.environment_id = d.environment_id and w.id = d.endpoint_id)`,
  },
]
