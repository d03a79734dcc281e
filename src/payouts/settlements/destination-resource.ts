import Type from 'typebox'
import {
  accountName,
  accountNumber,
  bankCode,
  flag,
  notYet,
  orNull,
  resource,
  stablecoin,
  time,
  walletAddress,
} from '../../base/shapes.js'

/** Where settlements go. */
export const settlementDestination = resource('SettlementDestination', {
  payTo: Type.Enum(['bank', 'wallet'], {
    description: '`bank`: your primary bank account. `wallet`: your wallet, in `asset`.',
    examples: ['bank'],
  }),
  bankCode: orNull(bankCode, 'Code of the bank; null for a wallet.'),
  accountNumber: orNull(accountNumber, 'Ten-digit account number; null for a wallet.'),
  accountName: orNull(accountName, 'Name of the account holder; null for a wallet.'),
  asset: notYet(stablecoin, 'The stablecoin that is paid; null for a bank account.'),
  walletAddress: notYet(walletAddress, 'Your wallet; null for a bank account.'),
  nameDiffers: flag(
    false,
    'Whether the bank names another holder than the operator approved; always false for a wallet.',
  ),
  needsConfirmation: flag(
    true,
    'Whether settlements to it wait until a second owner or admin confirms it; the operator can confirm a bank account, too.',
  ),
  usableFrom: orNull(time, 'Settlements to it wait until then. Null: they do not.'),
})
