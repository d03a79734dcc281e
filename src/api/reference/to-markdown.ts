import type { Html } from '../../base/html.js'

/**
 * Our own markup as Markdown, for programs that read the pages. Forms, which need a browser, are
 * left out. Fails for a tag that it does not know, so that none is lost.
 */
export function toMarkdown({ markup }: Html): string {
  const root: Element = { tag: 'root', children: [] }
  const open = [root]
  for (const [, comment, closing, tag, attributes = '', text] of markup.matchAll(pieces)) {
    if (comment !== undefined) continue
    const parent = open.at(-1)!
    if (text !== undefined) parent.children.push(decode(text))
    else if (closing) open.pop()
    else {
      const element = { tag: tag!, ...readAttributes(attributes), children: [] }
      parent.children.push(element)
      if (!isVoid.has(tag!)) open.push(element)
    }
  }
  return `${renderBlocks(root.children).trim()}\n`
}

type Element = { tag: string; href?: string; children: Node[] }
type Node = string | Element

const pieces = /(<!--[\s\S]*?-->)|<(\/?)([a-z][a-z0-9]*)((?:\s[^>]*?)?)>|([^<]+)/g
const isVoid = new Set(['br', 'img', 'input', 'hr'])

function readAttributes(text: string) {
  const [, href] = /\shref="([^"]*)"/.exec(text) ?? []
  return href === undefined ? {} : { href: decode(href) }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name = '') =>
    code ? String.fromCodePoint(Number(code)) : (entities[name] ?? whole),
  )
}

const leftOut = new Set(['form', 'noscript', 'label', 'button', 'svg', 'input'])
const containers = new Set(['section', 'article', 'div', 'details', 'header'])
const inlines = new Set(['a', 'b', 'strong', 'em', 'i', 'code', 'small', 'span', 'br', 'del'])

function renderBlocks(nodes: Node[]): string {
  const blocks: string[] = []
  let inline: Node[] = []
  const endInline = () => {
    const text = renderInline(inline).trim()
    if (text !== '') blocks.push(text)
    inline = []
  }
  for (const node of nodes) {
    if (typeof node === 'string' || inlines.has(node.tag)) {
      inline.push(node)
      continue
    }
    endInline()
    const block = renderBlock(node)
    if (block !== '') blocks.push(block)
  }
  endInline()
  return blocks.join('\n\n')
}

function renderBlock({ tag, children }: Element): string {
  if (leftOut.has(tag)) return ''
  if (containers.has(tag)) return isEmpty(children) ? '' : renderBlocks(children)
  const heading = /^h([1-6])$/.exec(tag)
  if (heading) return `${'#'.repeat(Number(heading[1]))} ${renderInline(children).trim()}`
  if (tag === 'p') return renderInline(children).trim()
  if (tag === 'summary') return `**${renderInline(children).trim().replaceAll('`', '')}**`
  if (tag === 'pre') return `\`\`\`\n${textOf(children).replace(/\n$/, '')}\n\`\`\``
  if (tag === 'ul' || tag === 'ol') return renderList(children)
  if (tag === 'table') return renderTable(children)
  if (tag === 'hr') return '---'
  if (tag === 'blockquote') return renderBlocks(children).replace(/^/gm, '> ')
  throw new Error(`Markdown of <${tag}> is not known`)
}

/** A fold whose content is made by the script of the page. */
function isEmpty(children: Node[]): boolean {
  const rest = children.filter((child) => typeof child === 'string' || child.tag !== 'summary')
  return textOf(rest).trim() === ''
}

function renderList(children: Node[]): string {
  return elements(children)
    .map((item) => {
      const text = renderBlocks(item.children).replace(/\n{2,}/g, '\n')
      return `- ${text.replaceAll('\n', '\n  ')}`
    })
    .join('\n')
}

function renderTable(children: Node[]): string {
  const rows = elements(children)
    .flatMap((part) => (part.tag === 'tr' ? [part] : elements(part.children)))
    .map((row) => elements(row.children).map((cell) => renderInline(cell.children).trim()))
  const [head = [], ...body] = rows.map((cells) =>
    cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')),
  )
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}

const elements = (nodes: Node[]) => nodes.filter((node) => typeof node !== 'string')

function renderInline(nodes: Node[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node.replace(/\s+/g, ' ')
      if (leftOut.has(node.tag)) return ''
      if (node.tag === 'br') return '\n'
      if (node.tag === 'code') return `\`${textOf(node.children)}\``
      const inner = renderInline(node.children)
      if (node.tag === 'a') return `[${inner.trim()}](${toPage(node.href ?? '')})`
      return node.tag === 'b' || node.tag === 'strong' ? `**${inner}**` : inner
    })
    .join('')
    .replace(/ {2,}/g, ' ')
}

function textOf(nodes: Node[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('')
}

/** The Markdown of a linked page. */
export function toPage(href: string): string {
  const [path = '', anchor] = href.split('#')
  const page = markdownPathOf(path)
  return page === undefined ? href : anchor === undefined ? page : `${page}#${anchor}`
}

/** Where the Markdown of a page of the reference is; undefined for other addresses. */
export function markdownPathOf(path: string): string | undefined {
  if (path === '/docs/') return '/docs/index.md'
  return path.startsWith('/docs/') && !path.includes('.') ? `${path}.md` : undefined
}
