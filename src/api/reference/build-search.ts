import { type ApiDocument, type ListedOperation, listOperations } from './document.js'
import { definedIn, type Guide } from './guides.js'

/**
 * Kind, name in the address, title, and a line about it. A section follows its guide, which has its
 * address; that of an error, a variable or an event is its title.
 */
type IndexedPage = [kind: Kind, name: string, title: string, about: string]

/** Operation, guide, section of one, error, variable, event. */
type Kind = 'o' | 'g' | 's' | 'e' | 'v' | 't'

/** See `web/search-pages.ts`, which reads it. */
export type SearchIndex = { pages: IndexedPage[]; words: string; common: string }

type Entry = { page: IndexedPage; text: string }

/** Of a word on more pages than this, those that use it most: so the index stays small. */
const pagesMax = 6

/** Everything that a reader can search, in a form that a browser loads at once. */
export function buildSearchIndex(document: ApiDocument, guides: Map<string, Guide>): SearchIndex {
  const entries = [
    ...listOperations(document).map((operation) => indexOperation(document, operation)),
    ...[...guides.values()].flatMap(indexGuide),
    ...Object.entries(document.webhooks).map(
      ([type, { post }]): Entry => ({
        page: ['t', '', type, toLine(post.description)],
        text: '',
      }),
    ),
  ]
  const places = new Map<string, Use[]>()
  for (const [at, { text }] of entries.entries())
    for (const [word, count] of countWords(text)) {
      const known = places.get(word)
      if (known) known.push({ at, count })
      else places.set(word, [{ at, count }])
    }
  const all = [...places].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    pages: entries.map(({ page }) => page),
    words: pack(all.map(([word, uses]) => [word, chooseUses(uses)])),
    common: all
      .filter(([, uses]) => uses.length > pagesMax)
      .map(([word]) => word)
      .join(' '),
  }
}

/** How often a page has a word. */
type Use = { at: number; count: number }

function chooseUses(uses: Use[]): number[] {
  return uses
    .toSorted((a, b) => b.count - a.count)
    .slice(0, pagesMax)
    .map(({ at }) => at)
    .sort((a, b) => a - b)
}

function indexOperation(document: ApiDocument, operation: ListedOperation): Entry {
  const {
    operationId,
    method,
    path,
    summary,
    description,
    parameters = [],
    requestBody,
  } = operation
  const texts: string[] = [description, ...parameters.map(({ name }) => name)]
  collectNames(document, requestBody, texts, 0)
  return {
    page: ['o', operationId, summary, `${method} ${path}`],
    text: texts.join(' '),
  }
}

/** Names and descriptions of the fields of a request. */
function collectNames(document: ApiDocument, node: unknown, texts: string[], depth: number): void {
  if (typeof node !== 'object' || node === null || depth > 12) return
  const { $ref, properties = {}, description } = node as Record<string, never>
  if (typeof $ref === 'string') {
    const name = ($ref as string).split('/').at(-1)!
    collectNames(document, document.components.schemas[name], texts, depth + 1)
    return
  }
  if (typeof description === 'string') texts.push(description)
  texts.push(...Object.keys(properties))
  for (const [key, child] of Object.entries(node))
    if (key !== 'example' && key !== 'examples') collectNames(document, child, texts, depth + 1)
}

/** The page, each of its sections, and what its tables define: errors and variables. */
function indexGuide({ name, title, text }: Guide): Entry[] {
  const [start = '', ...sections] = text.split(/^(?=##+ )/m)
  const kind = definedIn(name)
  if (kind !== undefined)
    return [
      { page: ['g', name, title, ''], text: '' },
      ...[...text.matchAll(definition)].map(([row, defined]): Entry => {
        const [, , ...cells] = row.split('|').map((cell) => toLine(cell))
        // The longest cell says what it is; others are statuses and defaults.
        const about = cells.reduce((best, cell) => (cell.length > best.length ? cell : best), '')
        return { page: [kind, '', defined!, about], text: about }
      }),
    ]
  return [
    { page: ['g', name, title, ''], text: toProse(start) },
    ...sections.map((section): Entry => {
      const heading = /^#+ (.*)/.exec(section)![1]!
      return { page: ['s', '', toPlain(heading), ''], text: toProse(section) }
    }),
  ]
}

/** The first cell of a row that defines one name. */
const definition = /^\| `([A-Za-z][\w.]*)` \|.*$/gm

/** Without code blocks: what they name is in the text around them. */
const toProse = (markdown: string) => markdown.replaceAll(/```[\s\S]*?```/g, ' ')

const lineLengthMax = 60

const toPlain = (markdown: string) =>
  markdown
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('`', '')
    .trim()

/** The beginning of a text, in one line. */
function toLine(markdown: string): string {
  const text = toPlain(markdown)
  if (text.length <= lineLengthMax) return text
  return `${text.slice(0, text.lastIndexOf(' ', lineLengthMax))} …`
}

/** Without the ending of a plural; the script of the search does the same. */
const toBase = (word: string) => (/[^su]s$/.test(word) ? word.slice(0, -1) : word)

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of text.toLowerCase().split(/[^\p{L}\p{N}_]+/u))
    if (word.length > 2 && !/^[\d_]+$/.test(word)) {
      const base = toBase(word)
      counts.set(base, (counts.get(base) ?? 0) + 1)
    }
  return counts
}

/** Each word after the one before: shared letters, others, distances between its pages. */
function pack(rows: [string, number[]][]): string {
  let before = ''
  return rows
    .map(([word, pages]) => {
      let shared = 0
      while (shared < 35 && shared < before.length && before[shared] === word[shared]) shared += 1
      before = word
      const distances = pages.map((page, at) => (page - (pages[at - 1] ?? -1)).toString(36))
      return `${shared.toString(36)}${word.slice(shared)} ${distances.join(',')}`
    })
    .join('\n')
}
