/** Letters that Unicode does not decompose into a base letter and an accent. */
const spelledOut: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
}
const undecomposed = new RegExp(`[${Object.keys(spelledOut).join('')}]`, 'g')

/**
 * The spelling by which names are compared: without case, accents, punctuation and order of words.
 * Apostrophes and full stops join what they separate (`O'Neil`, `A.B.C.`); all other marks separate
 * words. Nothing is guessed: another spelling of a name is an alias on the list. Empty if the name
 * has no letter or digit; such a name matches nothing.
 */
export function normaliseName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}|\p{Cf}/gu, '')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(undecomposed, (letter) => spelledOut[letter]!)
    .replace(/['’‘ʼ`´.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .sort()
    .join(' ')
}
