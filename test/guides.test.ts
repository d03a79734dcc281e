import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const guides = readdirSync(path.join(root, 'docs/guides')).map((name) => `docs/guides/${name}`)

type Command = { file: string; key: string; body: string | undefined }

/** The commands that a reader pastes into a terminal. */
function commandsOf(file: string): string {
  const text = readFileSync(path.join(root, file), 'utf8')
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands]) => commands).join('\n')
}

const files = ['README.md', ...guides].map((file) => ({ file, commands: commandsOf(file) }))

function keysOf({ file, commands }: (typeof files)[number]): Command[] {
  const keyed = /Idempotency-Key: ([^"]+)"[^']*(?:-d '([^']*)')?/g
  return [...commands.matchAll(keyed)].map(([, key, body]) => ({ file, key: key!, body }))
}

function referencesOf({ file, commands }: (typeof files)[number]) {
  const named = /(?:merchantReference|externalReference)(?:=|"\s*:\s*")([\w-]+)/g
  return [...new Set([...commands.matchAll(named)].map(([, name]) => name!))].map((name) => ({
    file,
    name,
  }))
}

// All guides, pasted in any order into one service, must work.
test('an idempotency key is used for one request only, across all guides', () => {
  const all = files.flatMap(keysOf)
  expect(all.length).toBeGreaterThan(8)
  const clashes = all.filter(({ file, key, body }) =>
    all.some((other) => other.key === key && (other.file !== file || other.body !== body)),
  )
  expect(clashes).toEqual([])
})

test('a reference is used in one guide only', () => {
  const all = files.flatMap(referencesOf)
  expect(all.length).toBeGreaterThan(6)
  const names = all.map(({ name }) => name)
  expect(all.filter(({ name }) => names.indexOf(name) !== names.lastIndexOf(name))).toEqual([])
})
