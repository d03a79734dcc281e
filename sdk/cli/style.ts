import type { Terminal } from './terminal.js'

/** One palette for all commands. */
const colors = { green: 32, red: 31, yellow: 33, dim: 2 } as const
export type Color = keyof typeof colors

/** Plain text if stdout is no terminal, or NO_COLOR is set. */
export function paint(
  { hasColors }: Pick<Terminal, 'hasColors'>,
  color: Color,
  text: string,
): string {
  return hasColors && text !== '' ? `\u001b[${colors[color]}m${text}\u001b[0m` : text
}

/** Escapes control characters, so that text chosen by payers cannot control the terminal. */
export function withoutControls(text: string, allowed = ''): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).padStart(4, '0')
    return allowed.includes(character) ? character : `\\u${code}`
  })
}
