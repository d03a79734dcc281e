const slowerMax = 1.1
/** Differences below this are within the resolution of the clock ticks. */
const differenceMinUs = 5

/**
 * Compares processor time with the baseline. The speed of the machine cancels out: the baseline is
 * scaled by how much longer the bare routes take now.
 */
export function findRegressions(baselineRows, rows) {
  const pairs = rows
    .map((now) => ({ now, before: baselineRows.find((row) => isSame(row, now)) }))
    .filter(({ before }) => before !== undefined)
  const logs = pairs
    .filter(({ now, before }) => now.bare && before.bare)
    .map(({ now, before }) => Math.log(now.bare / before.bare))
  const scale =
    logs.length === 0 ? 1 : Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length)
  const compared = pairs.flatMap(({ now, before }) =>
    ['api', 'postgres'].map((role) => {
      const expected = Math.round(before[role] * scale)
      return {
        key: now.key,
        role,
        before: expected,
        now: now[role],
        isRegression: now[role] > expected * slowerMax && now[role] - expected >= differenceMinUs,
      }
    }),
  )
  return { scale, compared }
}

function isSame(row, other) {
  return row.key === other.key && majorOf(row.node) === majorOf(other.node)
}

function majorOf(version) {
  return version?.split('.')[0]
}
