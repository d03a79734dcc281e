import type { DueTable } from '../postgres/due.js'

/** Deliveries are jobs: whoever sends them claims them here. */
export const deliveriesDue: DueTable = {
  table: 'deliveries',
  key: ['environment_id', 'event_id', 'endpoint_id'],
  open: "state = 'PENDING'",
  returning: `job.environment_id as "environmentId", job.event_id as "eventId",
    job.endpoint_id as "endpointId", job.attempts`,
}
