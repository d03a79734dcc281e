import { strict as assert } from 'node:assert'

/** Whether something may stand in a text. Never "no" where it does. */
export type Trace = (text: string) => boolean

/** A row of the table has room for 64 classes of characters. */
const rowBits = 6
const [hit, root] = [0, 1]
const [other, skipped, digit] = [0, 1, 2]

/**
 * Looks for any of the words, and for a run of digits, in one step per character, however many
 * words there are (Aho and Corasick): a pattern tries one word after the other at every place,
 * which took four times as long. Case counts for nothing, nor does what stands between the letters
 * of a word if it is a dash, an underscore, a space or not ASCII; one digit is like any other.
 */
export function createTrace(words: string[], digits: number): Trace {
  const classes = classify(words)
  const paths = [...words, '0'.repeat(digits)].map((word) =>
    Array.from(word.toLowerCase(), (letter) => classes[letter.charCodeAt(0)]!),
  )
  assert(!paths.flat().includes(skipped), 'no word has a letter that is skipped')
  const next = toTable(paths)
  return (text) => {
    let state = root
    for (let at = 0; at < text.length; at += 1) {
      state = next[(state << rowBits) | classes[text.charCodeAt(at)]!]!
      if (state === hit) return true
    }
    return false
  }
}

/** What every character is to the table. */
function classify(words: string[]): Uint8Array {
  const classes = new Uint8Array(0x1_0000).fill(skipped, 0x80)
  for (const letter of ' \t\n\v\f\r-_') classes[letter.charCodeAt(0)] = skipped
  for (const letter of '0123456789') classes[letter.charCodeAt(0)] = digit
  let count = digit + 1
  for (const letter of words.join('').toLowerCase()) {
    if (classes[letter.charCodeAt(0)] !== other) continue
    classes[letter.charCodeAt(0)] = count
    classes[letter.toUpperCase().charCodeAt(0)] = count
    count += 1
  }
  assert(count <= 1 << rowBits, 'every letter has a class of its own')
  // The sign of Kelvin: the one letter beyond ASCII whose small letter is within.
  classes[0x212a] = classes['k'.charCodeAt(0)]!
  return classes
}

/** One row per beginning of a word, one column per class: which beginning there is after it. */
function toTable(paths: number[][]): Uint16Array {
  const tree = toTree(paths)
  const next = new Uint16Array(tree.length << rowBits)
  /** The longest other beginning that a beginning ends with. */
  const shorter: number[] = []
  const isRun = new Set<number>()
  const reached = [root]
  for (const state of reached) {
    for (let one = 0; one < 1 << rowBits; one += 1) {
      const without = state === root ? root : next[(shorter[state]! << rowBits) | one]!
      const longer = tree[state]![one]
      // A run of digits ends with whatever is none, or every date would be one.
      const stays = one === skipped && !isRun.has(state) ? state : without
      const isEnd = longer === hit || (longer !== undefined && without === hit)
      next[(state << rowBits) | one] = isEnd ? hit : (longer ?? stays)
      if (longer === undefined || isEnd) continue
      shorter[longer] = without
      if (one === digit && (state === root || isRun.has(state))) isRun.add(longer)
      reached.push(longer)
    }
  }
  return next
}

/** Of beginnings; a word that begins with another one adds nothing to it. */
function toTree(paths: number[][]): (number | undefined)[][] {
  const tree: (number | undefined)[][] = [[], []]
  for (const path of paths) {
    let state: number = root
    for (const [index, one] of path.entries()) {
      const row = tree[state]!
      if (index === path.length - 1) row[one] = hit
      else if (row[one] === undefined) row[one] = tree.push([]) - 1
      if (row[one] === hit) break
      state = row[one]!
    }
  }
  return tree
}
