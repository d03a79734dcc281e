import type { Destination } from './ports.js'

/** Equal for destinations of the same recipient: the account at its bank, or the wallet. */
export function destinationKey(
  destination:
    | Pick<Extract<Destination, { kind: 'wallet' }>, 'kind' | 'address'>
    | Pick<Extract<Destination, { kind: 'bank_account' }>, 'kind' | 'bankCode' | 'accountNumber'>,
): string {
  return destination.kind === 'wallet'
    ? destination.address
    : `${destination.bankCode}/${destination.accountNumber}`
}

/** A destination as mails name it: who opens a mail may not be its recipient. */
export function describeDestination(destination: Destination): string {
  if (destination.kind === 'wallet')
    return `wallet ${destination.address.slice(0, 4)}…${destination.address.slice(-4)}`
  const { accountName, bankName, accountNumber } = destination
  return `${accountName}, ${bankName}, account ending in ${accountNumber.slice(-4)}`
}
