import type { Destination } from './ports.js'

/** A destination as mails name it: who opens a mail may not be its recipient. */
export function describeDestination(destination: Destination): string {
  if (destination.kind === 'wallet')
    return `wallet ${destination.address.slice(0, 4)}…${destination.address.slice(-4)}`
  const { accountName, bankName, accountNumber } = destination
  return `${accountName}, ${bankName}, account ending in ${accountNumber.slice(-4)}`
}
