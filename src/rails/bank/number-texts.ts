import { jsonTokens } from '../../base/json-tokens.js'

/** NULs and lone surrogates, as JSON writes them. */
const mayBeUnreadable = /\\u(?:d[89a-f]|0000)/i

/**
 * Parses JSON with every number as a text of the digits that were sent. Amounts such as 26.875 and
 * ids above 2^53 stay exact. NULs and lone surrogates are replaced: PostgreSQL stores neither.
 * Throws on anything but JSON.
 */
export function parseWithNumberTexts(text: string): unknown {
  JSON.parse(text) // checks the grammar, which the tokens do not
  let quoted = ''
  let copied = 0
  for (const { kind, start, text: number } of jsonTokens(text)) {
    if (kind !== 'number') continue
    quoted += `${text.slice(copied, start)}"${number}"`
    copied = start + number.length
  }
  quoted += text.slice(copied)
  return mayBeUnreadable.test(quoted)
    ? JSON.parse(quoted, (_, value: unknown) => replaceUnreadable(value))
    : JSON.parse(quoted)
}

function replaceUnreadable(value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', ' ') : value
}
