import { fromReferenceOfAnyKind } from '../../base/ids.js'
import type { Identifiers, Person } from './person.js'

/** What replaces a value. */
export const erasedText = '[erased]'

type Texts = (string | null)[]

/** A row of which texts may name the person. */
type SearchedRow = {
  texts: Texts
  merchantId: string | null
  /** Resources that the row belongs to. */
  ids: string[]
}

type SearchedTable = {
  /** The columns of the texts. */
  typed: { name: string }[]
  /** Its texts are copies: those with a reference, address or number of the person belong to it. */
  isCopy?: boolean
  /** What payers answered to a payment link is under `answers`. */
  hasAnswers?: boolean
}

/** Finds and replaces what names a person in rows. */
export type Mentions = {
  /** Parts of texts that may name the person, in lower case; for a first search by the database. */
  patterns: string[]
  /** Rows with answers of the person, which name nobody. */
  answered: string[]
  erase(row: SearchedRow, table: SearchedTable): Texts
  /** Only a name that was typed finds the row, and others may share it. */
  isByName(row: SearchedRow, table: SearchedTable): boolean
}

/**
 * What was typed is searched in every row. What was found with it is searched only at merchants
 * that know the person. Names that were found, which others share, and accounts of others who paid
 * for the person are searched only in rows of the person.
 */
export function createMentions(person: Person): Mentions {
  const { typed, found, merchantIds, own, withoutNames } = person
  const answered = new Set(person.answered)
  const typedTexts = createTexts(typed)
  const typedNumbers = createTexts({ ...typed, names: [] })
  const foundNumbers = createTexts({ ...found, names: [] })
  const atMerchant = createTexts({ ...found, names: typed.names })
  const everything = createTexts(person)
  const isOwn = (
    { texts, merchantId, ids }: SearchedRow,
    { isCopy = false, typed: columns }: SearchedTable,
  ) => {
    if (ids.some((id) => own.has(id))) return true
    const isKnown = merchantId !== null && merchantIds.has(merchantId)
    const numbers = isKnown ? foundNumbers : typedNumbers
    return (
      isCopy &&
      texts.some(
        (text, at) => text && (namesRowOf(own, text) || numbers.isIn(text, columns[at]!.name)),
      )
    )
  }
  const erase: Mentions['erase'] = (row, table) => {
    const isKnown = row.merchantId !== null && merchantIds.has(row.merchantId)
    const replaced = isOwn(row, table) ? everything : isKnown ? atMerchant : typedTexts
    const isAnswered = table.hasAnswers && row.ids.some((id) => answered.has(id))
    return row.texts.map((text, at) => {
      if (text === null) return text
      const erased = replaced.erase(text, table.typed[at]!.name)
      return isAnswered ? eraseAnswers(erased) : erased
    })
  }
  const sure = withoutNames && createMentions(withoutNames)
  return {
    patterns: everything.patterns,
    answered: person.answered,
    erase,
    isByName: (row, table) =>
      sure?.erase(row, table).every((text, at) => text === row.texts[at]) ?? false,
  }
}

/** Banks write references with a dash. */
function namesRowOf(own: Set<string>, text: string): boolean {
  const references = text.match(/[a-z]{2,5}[_-][0-9A-Za-z]{20,}/g) ?? []
  return references
    .map((reference) => reference.replace('-', '_'))
    .some((reference) => own.has(reference) || own.has(fromReferenceOfAnyKind(reference) ?? ''))
}

/** See `sessionMetadata`. */
function eraseAnswers(text: string): string {
  return text.replace(/"answers"\s*:\s*\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/gs, (answers) =>
    answers.replace(/(:\s*)"(?:[^"\\]|\\.)+"/gs, `$1"${erasedText}"`),
  )
}

/** Finds and replaces identifiers in texts and JSON. */
function createTexts({ emails, phones, numbers, wallets, names }: Identifiers) {
  const spelled = phones.flatMap(spellPhone)
  const needles = [...emails, ...spelled, ...numbers, ...wallets, ...names]
  const expressions = needles.map(
    (needle) => new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(needle)}(?![\\p{L}\\p{N}])`, 'iu'),
  )
  const isNamedIn = (text: string) => expressions.some((expression) => expression.test(text))
  const isMentioned = (text: string) => isNamedIn(text) || isNamedIn(decodeUrl(text))
  // A number has no zeros in front.
  const digits = new Set(
    [...spelled, ...numbers].map((number) => number.replace(/^[+0]+/, '')).filter(Boolean),
  )
  const patterns = [...needles.flatMap(spell).map((text) => text.toLowerCase()), ...digits]
  return {
    patterns: [...new Set(patterns)],
    isIn: (text: string, column: string) => erase(text, column) !== text,
    /** The text without the person. JSON keeps everything else as it was, digit by digit. */
    erase,
  }

  function erase(text: string, column: string): string {
    if (!/^\s*[{["]/.test(text)) return isMentioned(text) ? erasedText : text
    const replaced = replaceValues(text, column, ({ literal, mayIdentify }) =>
      literal.startsWith('"') ? isMentioned(decode(literal)) : mayIdentify && digits.has(literal),
    )
    // A text that only looked like JSON, or a body that was cut in the middle of a value.
    return !isJson(replaced) && isMentioned(replaced) ? erasedText : replaced
  }
}

/** A phone number of Nigeria is written in three ways. */
function spellPhone(phone: string): string[] {
  const local = /^(?:\+?234|0)(\d{10})$/.exec(phone)?.[1]
  return local ? [`+234${local}`, `234${local}`, `0${local}`] : [phone]
}

type Literal = {
  /** A text with its quotes, or a number. */
  literal: string
  /** Whether a number at this place may be that of an account or a phone. Others are amounts. */
  mayIdentify: boolean
}

/** Fields whose number may identify a person. `is_erasure` in the database knows the same. */
const identifyingField = /((account|phone|mobile)(_?(number|no))?|msisdn|nuban)$/i

/** Visits texts, keys among them, and numbers of JSON, also of JSON that was cut off. */
function replaceValues(
  text: string,
  column: string,
  isReplaced: (value: Literal) => boolean,
): string {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],]|-?\d[\d.eE+-]*/gs
  /** Whether the objects and arrays around a token are `metadata` of a merchant. */
  const around: boolean[] = []
  let field: string | null = column
  return text.replace(tokens, (token: string, at: number) => {
    const isInMetadata = around.at(-1) ?? false
    if (/^[{}[\],]$/.test(token)) {
      if (/[{[]/.test(token)) around.push(isInMetadata || field === 'metadata')
      if (/[}\]]/.test(token)) around.pop()
      field = null
      return token
    }
    const mayIdentify = isInMetadata || (field !== null && identifyingField.test(field))
    const isKey = token.startsWith('"') && /^\s*:/.test(text.slice(at + token.length))
    if (isKey) field = decode(token)
    return isReplaced({ literal: token, mayIdentify }) ? `"${erasedText}"` : token
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The ways in which a text is written into JSON and URLs. */
function spell(text: string): string[] {
  const inJson = JSON.stringify(text).slice(1, -1)
  const inAscii = inJson.replace(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const inUrl = encodeURIComponent(text)
  return [text, inJson, inAscii, inUrl, inUrl.replaceAll('%20', '+')]
}

function decode(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

function decodeUrl(text: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
