import { jsonTokens } from '../../base/json-tokens.js'

/**
 * Parses JSON with every number as a text of the digits that were sent. Amounts such as 26.875 and
 * ids above 2^53 stay exact. Throws on anything but JSON.
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
  return JSON.parse(quoted + text.slice(copied))
}
