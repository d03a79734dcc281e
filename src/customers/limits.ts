export const invoiceLimits = {
  linesMax: 100,
  instalmentsMax: 24,
  /** Of memo and footer. */
  textLengthMax: 1_000,
  descriptionLengthMax: 300,
} as const
