/** More suggestions than this do not help. */
const suggestionsMax = 3

/** The names that a mistyped one most likely means: the closest ones, if any is close. */
export function findNearest(word: string, names: string[]): string[] {
  const distances = names.map((name) => ({ name, distance: editDistance(word, name) }))
  const least = Math.min(...distances.map(({ distance }) => distance))
  if (least > Math.max(2, word.length * 0.3)) return []
  return distances
    .filter(({ distance }) => distance === least)
    .map(({ name }) => name)
    .slice(0, suggestionsMax)
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
