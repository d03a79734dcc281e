/** Items of `left` that `right` does not contain as often. */
export function subtract(left, right) {
  const counts = new Map()
  for (const item of right) counts.set(item, (counts.get(item) ?? 0) + 1)
  return left.filter((item) => {
    const count = counts.get(item) ?? 0
    counts.set(item, count - 1)
    return count <= 0
  })
}

/** What is missing from `actual` and what it has too often. */
export function difference(expected, actual) {
  return [
    ...subtract(expected, actual).map((item) => `missing: ${item}`),
    ...subtract(actual, expected).map((item) => `too many: ${item}`),
  ]
}
