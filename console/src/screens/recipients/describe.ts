import type { Recipient } from '../../../../sdk/src/types'
import { formatAccountNumber, formatWallet } from '../../parts/identifiers'

/** The label, the name at the bank, or the wallet. */
export const nameOf = ({ label, accountName, address }: Recipient): string =>
  label ?? accountName ?? formatWallet(address ?? '')

/** `GTBank 012 345 6789`, or the wallet. */
export const placeOf = ({ bankName, accountNumber, address }: Recipient): string =>
  accountNumber === null
    ? formatWallet(address ?? '')
    : `${bankName} ${formatAccountNumber(accountNumber)}`
