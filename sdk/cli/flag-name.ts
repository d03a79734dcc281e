/** `destination.bankCode` becomes `--destination.bank-code`. */
export function toFlagName(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}
