/** Words of the timeline of a payment or payout. */
export const timelineTexts = {
  title: 'Timeline',
  more: 'Earlier steps are not shown.',
  webhook: 'Webhook',
  waiting: 'Waiting',
  view: 'View',
  /** How it ended stands at the top of its page. */
  caseClosed: 'Case closed',
  caseItemAdded: (reference: string) => `${reference} added`,
  caseItemRemoved: (reference: string) => `${reference} removed`,
  delivered: (status: number, duration: string) => `${status} in ${duration}`,
}
