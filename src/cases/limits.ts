export const caseLimits = {
  titleLengthMax: 200,
  descriptionLengthMax: 2_000,
  externalReferenceLengthMax: 100,
  outcomeNoteLengthMax: 500,
  itemsMax: 100,
  /** Cases that are overdue at once are announced in batches. */
  overduePerBatchMax: 50,
} as const
