import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The documentation pages and their code blocks. */

export const root = path.resolve(import.meta.dirname, '../..')

export type Fence = {
  language: string
  /** The word after the language: `not-run: …`, `background`, `refused`, or none. */
  note: string
  text: string
  line: number
}

/** Paths of all pages. */
export function listPages(): string[] {
  const names = readdirSync(path.join(root, 'docs'), { recursive: true }) as string[]
  const pages = names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
  return ['README.md', ...pages.sort(), 'examples/store/README.md']
}

export function readPage(page: string): string {
  return readFileSync(path.join(root, page), 'utf8')
}

export function fencesOf(text: string): Fence[] {
  const fences: Fence[] = []
  let open: Fence | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, language, note] = /^\s*```(\w*) ?(.*)$/.exec(line) ?? []
    if (open && line.trim() === '```') {
      fences.push(open)
      open = undefined
    } else if (open) open.text += `${line}\n`
    else if (language !== undefined) open = { language, note: note!, text: '', line: index + 1 }
  }
  if (open) throw new Error(`The fence of line ${open.line} is never closed.`)
  return fences
}
