/**
 * Finds pages of the API reference in the index that the server built (build-search.ts). Without
 * the page itself, so that tests run it.
 */

/** Kind (a letter), name in the address, title, and a line about it. */
export type IndexedPage = [kind: string, name: string, title: string, about: string]

/** The same as on the server. */
export type SearchIndex = {
  pages: IndexedPage[]
  /**
   * Words of the texts, sorted, one a line: how many letters it shares with the one before, its
   * other letters, and the pages that have it, each as the distance to the one before in base 36.
   */
  words: string
  /** Words that are on more pages than these. */
  common: string
}

export type Found = { address: string; kind: string; title: string; about: string }
/** `instead` is what was searched, if a word was misspelt. */
export type SearchResult = { found: Found[]; instead: string | null }

const scores = {
  name: 100,
  nameStart: 30,
  title: 20,
  titleStart: 12,
  path: 6,
  text: 2,
  textStart: 1,
  coverage: 15,
  phrase: 10,
}
/** Of two pages that match alike, operations come first, then guides, then their sections. */
const kindScores: Record<string, number> = { o: 3, g: 2, s: 1 }
const stopWords = new Set('a an and can do for how i in is it of on or the to what with'.split(' '))
const hitsMax = 12

type Page = Found & { name: string; titleWords: string[]; pathWords: string[] }

/** Reads the index once; the function that it returns searches. */
export function openSearch(index: SearchIndex): (query: string) => SearchResult {
  const pages = readPages(index)
  const texts = readWords(index.words)
  const common = new Set(index.common.split(' '))
  const sortedTexts = [...texts.keys()]
  const titleWords = new Set(pages.flatMap((page) => [...page.titleWords, ...page.pathWords]))
  const names = pages.map(({ name }) => name)

  const isKnown = (word: string) =>
    common.has(toBase(word)) ||
    [...titleWords].some((known) => known.startsWith(word)) ||
    sortedTexts.some((known) => known.startsWith(toBase(word))) ||
    names.some((name) => name.startsWith(word))

  /** The word that was probably meant: of a title rather than of a text. */
  function correct(word: string): string {
    if (word.length < 4 || isKnown(word)) return word
    const allowed = word.length < 7 ? 1 : 2
    let best = { word, distance: allowed + 1 }
    for (const known of [...titleWords, ...sortedTexts]) {
      if (Math.abs(known.length - word.length) > allowed) continue
      const distance = distanceOf(word, known, allowed)
      if (distance < best.distance) best = { word: known, distance }
    }
    return best.word
  }

  return (query) => {
    const typed = query
      .toLowerCase()
      .split(/[^\p{L}\p{N}_.]+/u)
      .map((word) => word.replace(/^\.+|\.+$/g, ''))
      .filter(Boolean)
    const asked = typed.filter((word) => !stopWords.has(word))
    const words = asked.map(correct)
    if (words.length === 0) return { found: [], instead: null }
    const textScores = words.map((word) => scoreTexts(toBase(word), texts))
    const found = pages
      .map((page, at) => ({
        page,
        score: scorePage(page, words, (position) =>
          Math.max(
            textScores[position]!.get(at) ?? 0,
            common.has(toBase(words[position]!)) ? 0.1 : 0,
          ),
        ),
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, hitsMax)
      .map(({ page: { address, kind, title, about } }) => ({ address, kind, title, about }))
    const isSame = words.every((word, at) => word === asked[at])
    return { found, instead: isSame ? null : words.join(' ') }
  }
}

/** 0: the page lacks a word. */
function scorePage(page: Page, words: string[], textScore: (position: number) => number): number {
  let sum = kindScores[page.kind] ?? 0
  const covered = new Set<string>()
  let isFound = false
  for (const [position, word] of words.entries()) {
    const title = scoreTitle(page, word, covered)
    const score = Math.max(title, textScore(position))
    if (score === 0) return 0
    isFound ||= score >= scores.textStart
    sum += score
  }
  // A word that is on most pages finds none of them.
  if (!isFound) return 0
  // Only what the title has says that the page is about it.
  const coverage = covered.size / Math.max(1, page.titleWords.length)
  const isPhrase = page.title.toLowerCase().startsWith(words.join(' '))
  return sum + coverage * scores.coverage + (isPhrase ? scores.phrase : 0)
}

function scoreTitle(page: Page, word: string, covered: Set<string>): number {
  if (page.name === word) return scores.name
  const exact = page.titleWords.find((known) => known === word)
  const start = exact ?? page.titleWords.find((known) => known.startsWith(word))
  if (start !== undefined) covered.add(start)
  if (exact !== undefined) return scores.title
  // The beginning of a code, not of a word in it.
  if (/[_.]/.test(word) && page.name.startsWith(word)) return scores.nameStart
  if (start !== undefined) return scores.titleStart
  return page.pathWords.some((known) => known === word) ? scores.path : 0
}

function scoreTexts(word: string, texts: Map<string, number[]>): Map<number, number> {
  const found = new Map<number, number>()
  for (const [known, pages] of texts) {
    if (known !== word && (word.length < 3 || !known.startsWith(word))) continue
    const score = known === word ? scores.text : scores.textStart
    for (const page of pages) found.set(page, Math.max(score, found.get(page) ?? 0))
  }
  return found
}

/** Addresses as the server makes them; a section follows its guide. */
export function readPages({ pages }: Pick<SearchIndex, 'pages'>): Page[] {
  let guide = { address: '', title: '' }
  return pages.map(([kind, id, title, about]) => {
    const places: Record<string, string> = {
      o: `/docs/operations/${id}`,
      g: `/docs/${id}`,
      s: `${guide.address}#${slugOf(title)}`,
      e: `/docs/reference/errors#${title}`,
      v: `/docs/operating/configuration#${title}`,
      t: `/docs/events#${title}`,
    }
    const address = places[kind]!
    if (kind === 'g') guide = { address, title }
    return {
      address,
      kind,
      title,
      about: kind === 's' ? guide.title : about,
      // An operation is also found by its id, an error by its code, a setting by its variable.
      name:
        kind === 'o' ? id.toLowerCase() : kind === 's' || kind === 'g' ? '' : title.toLowerCase(),
      titleWords: wordsOf(title),
      pathWords: wordsOf(kind === 'o' ? about : ''),
    }
  })
}

/** The same anchors as on the server. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/ /g, '-')

/** Without the ending of a plural, as the words of texts are. */
const toBase = (word: string) => (/[^su]s$/.test(word) ? word.slice(0, -1) : word)

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !stopWords.has(word))

function readWords(lines: string): Map<string, number[]> {
  const words = new Map<string, number[]>()
  let before = ''
  for (const line of lines.split('\n')) {
    const [, shared, rest, places] = /^(\w)(\S*) (\S+)$/.exec(line) ?? []
    if (shared === undefined) continue
    before = before.slice(0, Number.parseInt(shared, 36)) + rest
    let page = -1
    const pages = places!.split(',').map((distance) => {
      page += Number.parseInt(distance, 36)
      return page
    })
    words.set(before, pages)
  }
  return words
}

/** Letters to add, remove, change or swap; more than allowed is not counted further. */
function distanceOf(one: string, other: string, allowed: number): number {
  let [before, row]: [number[], number[]] = [[], [...Array(other.length + 1).keys()]]
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at]
    for (let to = 1; to <= other.length; to += 1) {
      const change = row[to - 1]! + (one[at - 1] === other[to - 1] ? 0 : 1)
      const isSwap =
        at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      const swap = isSwap ? before[to - 2]! + 1 : change
      next.push(Math.min(change, swap, row[to]! + 1, next[to - 1]! + 1))
    }
    if (Math.min(...next) > allowed) return allowed + 1
    before = row
    row = next
  }
  return row[other.length]!
}
