/** Words that many business names share, so that they do not distinguish them. */
const generic = new Set(
  (
    'ltd limited plc inc llc llp nig nigeria nigerian co company enterprise enterprises ent ' +
    'ventures venture global international intl services service resources group holdings the ' +
    'and of mr mrs ms miss dr prof chief engr barr alhaji alhaja mallam hajia pastor'
  ).split(' '),
)

/** One common word is too few if either name has more. */
const commonWordsMin = 2

/**
 * Whether a bank account may be that of a merchant: the holder's name at the bank has the words of
 * one of the merchant's names, or the other way round, because banks cut names and leave words out.
 * Without a name to compare, it is not.
 */
export function isHolderOf(names: string[], holder: string): boolean {
  return names.some((name) => haveSameWords(wordsOf(name), wordsOf(holder)))
}

function haveSameWords(own: Set<string>, holder: Set<string>): boolean {
  const [fewer, more] = own.size <= holder.size ? [own, holder] : [holder, own]
  if (fewer.size < Math.min(commonWordsMin, more.size) || fewer.size === 0) return false
  return [...fewer].every((word) => more.has(word))
}

function wordsOf(name: string): Set<string> {
  const plain = name.normalize('NFD').replace(/[\p{M}'’.]/gu, '')
  const words = plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.filter((word) => !generic.has(word)))
}
