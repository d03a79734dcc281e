/** Safe markup, made only by `html` and `asMarkup`. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** Values that `html` accepts. Null, undefined and false render as nothing. */
export type Piece = Html | string | number | bigint | null | undefined | false | Piece[]

/**
 * Escapes every value: it cannot open a tag, end an attribute or change the text direction.
 * Templates must write attributes in double quotes.
 */
export function html(parts: TemplateStringsArray, ...values: Piece[]): Html {
  return new Html(parts.map((part, at) => part + toMarkup(values[at])).join(''))
}

/** Marks our own constants as markup. Never use it for text from a merchant or payer. */
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

/** Line separators and bidirectional controls, which could reverse the text that follows. */
const directionControls = /[\u2028-\u202e\u2066-\u2069]/g

function escapeText(text: string): string {
  return text.replace(directionControls, '').replace(/[&<>"'`]/g, (char) => escapes[char]!)
}
