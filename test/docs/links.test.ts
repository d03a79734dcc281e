import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { listPages, readPage, root } from '../support/doc-pages.js'

/** Links inside the repository lead to existing files and headings. */

const others = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
const pages = [...listPages(), ...others]

const proseOf = (page: string) => readPage(page).replaceAll(/^\s*```[\s\S]*?^\s*```$/gm, '')

function anchorsOf(page: string): string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, text]) => text!)
  return headings.map((text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test.each(pages)('%s has no broken link', (page) => {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
  const dead = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const target = file ? path.join(path.dirname(page), file) : page
    if (!existsSync(path.join(root, target))) return true
    if (anchor === undefined) return false
    return statSync(path.join(root, target)).isDirectory() || !anchorsOf(target).includes(anchor)
  })
  expect(dead).toEqual([])
})

test('the index lists every page', () => {
  const index = readPage('docs/README.md')
  const missing = listPages().filter(
    (page) =>
      !['README.md', 'docs/README.md'].includes(page) &&
      !page.startsWith('docs/decisions/') &&
      !index.includes(`(${path.relative('docs', page)}`),
  )
  expect(missing).toEqual([])
})

test('ARCHITECTURE.md names files and folders that exist', () => {
  const named = [...proseOf('ARCHITECTURE.md').matchAll(/`([\w-]+\/[\w/.-]*)`/g)].map(
    ([, name]) => name!,
  )
  expect(named.length).toBeGreaterThan(30)
  const missing = named.filter(
    (name) => !existsSync(path.join(root, name)) && !existsSync(path.join(root, 'src', name)),
  )
  expect(missing).toEqual([])
})
