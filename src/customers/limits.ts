export const invoiceLimits = {
  /** When an invoice is due that names no date. */
  dueAfterDays: 7,
  linesMax: 100,
  instalmentsMax: 24,
  /** Invoices that one payment pays after a person changed it. */
  allocationsMax: 50,
  /** Of memo and footer. */
  textLengthMax: 1_000,
  descriptionLengthMax: 300,
} as const
