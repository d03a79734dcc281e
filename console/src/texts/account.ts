/** Words of the fields for the bank account or wallet of a recipient. */
export const accountTexts = {
  bank: 'Bank',
  bankPlaceholder: 'Choose a bank',
  noBank: 'No bank has this name',
  number: 'Account number',
  numberIssue: 'Ten digits',
  address: 'Wallet address',
  resolving: 'Asking the bank for the name…',
  confirms: (bank: string) => `${bank} confirms this name.`,
  checkWallet: 'Coins cannot be called back. Compare the whole address with the recipient.',
}
