/** What Home says of freezes. Apart from the texts of their page, so that it loads no more. */
export const frozenTexts = {
  what: {
    merchant: (_: string) => 'All payouts',
    key: (name: string) => `Payouts of the API key “${name}”`,
    member: (name: string) => `Payouts of ${name}`,
    recipient: (place: string) => `Payouts to ${place}`,
    rail: (name: string) => `Payouts through ${name}`,
  },
  chain: 'Solana',
  frozen: (what: string, reason: string) => `${what} are frozen: ${reason}`,
  several: (count: number) => `${count} freezes refuse payouts`,
  one: (what: string, reason: string) => `${what}: ${reason}`,
  more: (count: number) => `and ${count} more`,
  by: (name: string, time: string) => `By ${name}, ${time}.`,
  asked: (name: string) => `${name} asked to thaw it.`,
}
