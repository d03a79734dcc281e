/** A name, a text or a number of a JSON document. */
export type JsonToken = {
  /** The names and positions that lead to it. */
  path: string
  token: string
  isName: boolean
  /** Its object has had this name before. */
  isAgain: boolean
}

type Level = { at: string | number; names: Set<string> }

const marks = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\],]|-?\d[\d.eE+-]*/g

/** In the order of the text, which must be JSON. To tell a caller where, not to read bodies. */
export function* placesOf(text: string): Generator<JsonToken> {
  const levels: Level[] = []
  for (const [mark, quoted, colon] of text.matchAll(marks)) {
    const level = levels.at(-1)
    if (mark === '{') levels.push({ at: '', names: new Set() })
    else if (mark === '[') levels.push({ at: 0, names: new Set() })
    else if (mark === '}' || mark === ']') levels.pop()
    else if (mark === ',') {
      if (typeof level!.at === 'number') level!.at += 1
    } else {
      const name = colon === undefined ? undefined : (JSON.parse(quoted!) as string)
      const isAgain = name !== undefined && level!.names.has(name)
      if (name !== undefined) {
        level!.at = name
        level!.names.add(name)
      }
      const path = levels.map(({ at }) => at).join('.')
      yield { path, token: quoted ?? mark, isName: name !== undefined, isAgain }
    }
  }
}
