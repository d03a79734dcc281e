/** Longer names are not compared: a request could make the comparison expensive. */
const comparedLengthMax = 40

/**
 * The field that a misspelt name most likely means: `account_number`, `accountNumer`. Undefined if
 * none, or more than one, is close.
 */
export function findNearestField(sent: string, fields: string[]): string | undefined {
  if (sent.length > comparedLengthMax) return undefined
  const word = plain(sent)
  const distances = fields.map((field) => ({ field, distance: editDistance(word, plain(field)) }))
  const least = Math.min(...distances.map(({ distance }) => distance))
  if (least > Math.min(2, word.length / 3)) return undefined
  const nearest = distances.filter(({ distance }) => distance === least)
  return nearest.length === 1 ? nearest[0]!.field : undefined
}

/** Other styles of writing the same name. */
function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}

/** How many characters must be inserted, removed, replaced or swapped with their neighbour. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row[j] = Math.min(
        rows[i - 1]![j]! + 1,
        row[j - 1]! + 1,
        rows[i - 1]![j - 1]! + (isSame ? 0 : 1),
        isSwapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(row)
  }
  return rows.at(-1)!.at(-1)!
}
