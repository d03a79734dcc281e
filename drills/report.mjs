/** What a drill prints. */

const seconds = (ms) => (ms / 1000).toFixed(1)

export function printRounds(rounds) {
  const rows = rounds.map((round, index) => ({
    round: index + 1,
    fault: round.kind,
    primary: `${round.from} → ${round.to}`,
    'new primary after (s)': seconds(round.takeoverMs),
    'first write after (s)': seconds(round.firstWriteMs),
    'requests failed for (s)': seconds(round.failingMs),
    failed: round.failed,
    outcome_unknown: round.reasons.outcome_unknown ?? 0,
    'no answer': round.reasons.no_answer ?? 0,
    'node back after (s)': seconds(round.rejoinMs),
    died: round.died.join(' ') || '-',
  }))
  printTable(rows)
}

/** How requests fared while each phase of an upgrade lasted. */
export function printPhases(phases, attempts) {
  const rows = phases.map(({ name, startedAt, endedAt }) => {
    const own = attempts.filter(({ sentAt }) => sentAt >= startedAt && sentAt < endedAt)
    const times = own.map(({ sentAt, endedAt }) => endedAt - sentAt).sort((a, b) => a - b)
    const at = (share) => times[Math.min(Math.floor(times.length * share), times.length - 1)] ?? 0
    return {
      phase: name,
      'lasted (s)': seconds(endedAt - startedAt),
      requests: own.length,
      failed: own.filter(({ status }) => status === undefined || status >= 500).length,
      'p50 (ms)': at(0.5).toFixed(0),
      'longest (ms)': at(1).toFixed(0),
    }
  })
  printTable(rows)
}

function printTable(rows) {
  const names = Object.keys(rows[0])
  const widths = names.map((name) =>
    Math.max(name.length, ...rows.map((row) => `${row[name]}`.length)),
  )
  const line = (cells) => `| ${cells.map((cell, i) => `${cell}`.padEnd(widths[i])).join(' | ')} |`
  console.log(line(names))
  console.log(line(widths.map((width) => '-'.repeat(width))))
  for (const row of rows) console.log(line(names.map((name) => row[name])))
}

const shownMax = 5

/** Prints every claim and returns whether all of them hold. */
export function printProofs(proofs) {
  for (const { claim, found } of proofs) {
    console.log(`${found.length === 0 ? '✓' : '✗'} ${claim}`)
    for (const text of found.slice(0, shownMax)) console.log(`${text}`.replace(/^/gm, '    '))
    if (found.length > shownMax) console.log(`    … and ${found.length - shownMax} more`)
  }
  return proofs.every(({ found }) => found.length === 0)
}
