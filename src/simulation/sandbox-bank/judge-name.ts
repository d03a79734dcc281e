const titles = new Set(
  'mr mrs ms miss dr prof chief engr barr alhaji alhaja mallam hajia pastor'.split(' '),
)

/**
 * Whether a name that was sent clearly belongs to somebody else than the holder of the account.
 *
 * People leave out middle names, write initials and titles, and put the surname last; so two words
 * in common are enough, or one where only one was sent. An empty name claims nothing.
 */
export function isSomebodyElse({ sent, held }: { sent: string; held: string }): boolean {
  const left = wordsOf(held)
  const claimed = wordsOf(sent)
  // Whole words first, or an initial could take the word that another one needs.
  const found = claimed
    .sort((one, other) => other.length - one.length)
    .filter((word) => takeMatch(left, word))
  return found.length < Math.min(claimed.length, 2)
}

function wordsOf(name: string): string[] {
  const plain = name.normalize('NFD').replace(/[\p{M}'’]/gu, '')
  const words = plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => !titles.has(word))
}

/** Each word of the holder answers for one word that was sent, no more. */
function takeMatch(left: string[], word: string): boolean {
  const index = left.findIndex((held) =>
    word.length === 1 ? held.startsWith(word) : held === word,
  )
  if (index >= 0) left.splice(index, 1)
  return index >= 0
}
