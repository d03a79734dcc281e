/** An answer that is short enough for an agent, and what was left out of it. */
export type Shortened = { data: unknown; leftOut: { path: string; shown: number; of: number }[] }

/** About 10,000 tokens. */
export const resultLengthMax = 40_000

const lengthOf = (value: unknown) => JSON.stringify(value).length

/**
 * Halves the longest list until the answer is short enough. Undefined: it has no list that could be
 * shorter. The cursor of a shortened page is removed, because it would skip what was left out.
 */
export function shorten(data: unknown, lengthMax = resultLengthMax): Shortened | undefined {
  const cut = new Map<string, { path: string; shown: number; of: number }>()
  let current = data
  while (lengthOf(current) > lengthMax) {
    const [longest] = listsIn(current).sort((a, b) => b.length - a.length)
    if (!longest || longest.list.length < 2) return undefined
    const shown = Math.floor(longest.list.length / 2)
    const name = longest.path.join('.')
    cut.set(name, { path: name, shown, of: cut.get(name)?.of ?? longest.list.length })
    current = replaceAt(current, longest.path, longest.list.slice(0, shown))
  }
  if (cut.has('items')) current = replaceAt(current, ['nextCursor'], null)
  return { data: current, leftOut: [...cut.values()] }
}

type List = { path: string[]; list: unknown[]; length: number }

/** The outermost lists: those inside of them are part of their items. */
function listsIn(value: unknown, path: string[] = []): List[] {
  if (Array.isArray(value)) return [{ path, list: value, length: lengthOf(value) }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => listsIn(item, [...path, name]))
}

function replaceAt(value: unknown, [name, ...rest]: string[], item: unknown): unknown {
  if (name === undefined) return item
  const object = value as Record<string, unknown>
  return { ...object, [name]: replaceAt(object[name], rest, item) }
}
