/** Texts, and the marks that open, close and part what is in a JSON document. */
const marks = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/**
 * A field of a JSON object as it was written, without the blanks between its parts: reading and
 * writing it anew would put names that look like numbers first. The text must be JSON.
 */
export function rawField(text: string, name: string): string | undefined {
  let depth = 0
  let start: number | undefined
  let isName = true
  let lastName: string | undefined
  marks.lastIndex = 0
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const [mark] = found
    if (mark === '{' || mark === '[') depth += 1
    else if (mark === '}' || mark === ']') depth -= 1
    if (start !== undefined) {
      const isEnd = (depth === 1 && mark === ',') || depth === 0
      if (isEnd) return withoutBlanks(text.slice(start, found.index))
    } else if (depth === 1) {
      if (mark === ',' || mark === '{') isName = true
      else if (mark === ':' && lastName === name) start = found.index + 1
      else if (mark.startsWith('"') && isName) {
        lastName = JSON.parse(mark) as string
        isName = false
      }
    }
  }
  return undefined
}

function withoutBlanks(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
}
