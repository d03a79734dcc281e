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
 * Markup in which every value is text, whatever it says: it can open no tag and end no attribute.
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

export function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (sign) => escapes[sign]!)
}
