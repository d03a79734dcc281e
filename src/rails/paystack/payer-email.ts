/** The email of a dedicated account's customer at Paystack, which has our reference in it. */
export function customerEmail(payerEmail: string, reference: string): string {
  const at = payerEmail.lastIndexOf('@')
  return `${payerEmail.slice(0, at)}+${reference}${payerEmail.slice(at)}`
}

/** The reference in such an email, or undefined. */
export function referenceOfEmail(payerEmail: string, email: string): string | undefined {
  const at = payerEmail.lastIndexOf('@')
  const [start, end] = [`${payerEmail.slice(0, at)}+`, payerEmail.slice(at)]
  const isOurs = email.startsWith(start) && email.endsWith(end)
  const reference = isOurs ? email.slice(start.length, -end.length) : ''
  return /^[a-z0-9-]+$/.test(reference) ? reference : undefined
}
