const titles = new Set(
  'mr mrs ms miss dr prof chief engr barr alhaji alhaja mallam hajia pastor'.split(' '),
)

/** A shorter word alone, such as an initial, fits too many holders. */
const singleWordLengthMin = 3

/**
 * Whether the name sent is clearly not the account holder's.
 *
 * Callers leave out middle names, write initials and titles, and put the surname last, so two words
 * in common are enough, or one if only one was sent. Initials alone fit many people, so they match
 * only if they are the whole name at the bank. An empty name always matches.
 */
export function isNameMismatch({ sent, holder }: { sent: string; holder: string }): boolean {
  if (sent === '') return false
  const unmatched = wordsOf(holder)
  // Whole words first: an initial could otherwise use up the word that a whole word needs.
  const sentWords = wordsOf(sent).sort(byLength)
  if (isTooVague(sentWords)) return sentWords.join(' ') !== unmatched.toSorted(byLength).join(' ')
  const matches = sentWords.filter((word) => takeMatch(unmatched, word))
  return matches.length < Math.min(sentWords.length, 2)
}

const byLength = (left: string, right: string) => right.length - left.length

/** `words` begin with the longest. */
function isTooVague([longest = '', ...others]: string[]): boolean {
  return longest.length < (others.length > 0 ? 2 : singleWordLengthMin)
}

function wordsOf(name: string): string[] {
  const plain = name.normalize('NFD').replace(/[\p{M}'’]/gu, '')
  const words = plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => !titles.has(word))
}

/** Removes the matching word, so that it matches only once. */
function takeMatch(unmatched: string[], word: string): boolean {
  const index = unmatched.findIndex((candidate) =>
    word.length === 1 ? candidate.startsWith(word) : candidate === word,
  )
  if (index >= 0) unmatched.splice(index, 1)
  return index >= 0
}
