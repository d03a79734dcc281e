export const invoiceLimits = {
  /** When an invoice is due that names no date. */
  dueAfterDays: 7,
  linesMax: 100,
  instalmentsMax: 24,
  /** Of memo and footer. */
  textLengthMax: 1_000,
  descriptionLengthMax: 300,
  /** How often one invoice is mailed to its customer. */
  sendsMax: 10,
  deadlinesPerBatchMax: 50,
} as const
