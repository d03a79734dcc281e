/** Text that is markup already. Only `html` makes it, and `asMarkup` of what is our own. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** What may stand in a template. Nothing is written for what is absent. */
export type Piece = Html | string | number | bigint | null | undefined | false | Piece[]

/**
 * Markup in which every value is text, whatever it says: it opens no tag, ends no attribute and
 * turns no words around.
 * Attributes are always written in double quotes.
 */
export function html(parts: TemplateStringsArray, ...values: Piece[]): Html {
  return new Html(parts.map((part, at) => part + toMarkup(values[at])).join(''))
}

/** For constants of ours; never for anything that a merchant or a payer has written. */
export function asMarkup(ours: string): Html {
  return new Html(ours)
}

function toMarkup(value: Piece): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.markup
  return Array.isArray(value) ? value.map(toMarkup).join('') : escapeText(String(value))
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Marks that turn the direction of what follows could make our own words read as others. */
const turns = /[\u2028-\u202e\u2066-\u2069]/g

export function escapeText(text: string): string {
  return text.replace(turns, '').replace(/[&<>"'`]/g, (sign) => escapes[sign]!)
}
