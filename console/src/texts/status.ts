/** Words for the states of resources. Unknown ones are shown as the API writes them. */
export const statusWords: Record<string, string> = {
  HELD: 'Held',
  RETURNING: 'Returning',
  ACCEPTED: 'Accepted',
  RETURNED: 'Returned',
  PENDING: 'Needs approval',
  SUBMITTED: 'Submitted',
  COMPLETED: 'Completed',
  CONFIRMED: 'Confirmed',
  FAILED: 'Failed',
  REJECTED: 'Rejected',
  APPROVAL_EXPIRED: 'Not approved in time',
  REVERSED: 'Reversed',
  WAITING: 'Waiting',
  SENT: 'Sent',
  pending: 'Open',
}
