/** Words of the timeline of a payment or payout. */
export const timelineTexts = {
  title: 'Timeline',
  more: 'Earlier steps are not shown.',
  webhook: 'Webhook',
  waiting: 'Waiting',
  view: 'View',
  delivered: (status: number, duration: string) => `${status} in ${duration}`,
}
