import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path/posix'
import { Marked, type Tokens } from 'marked'
import { asMarkup, type Html } from '../../base/html.js'
import { toPage } from './to-markdown.js'

/** A page of docs/, such as `guides/payouts`. */
export type Guide = { name: string; title: string; text: string }

const folder = new URL('../../../docs/', import.meta.url)

/** Empty where the service is installed without its documentation. */
export async function readGuides(): Promise<Map<string, Guide>> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const pages = names.filter((name) => name.endsWith('.md') && !name.startsWith('decisions'))
  const guides = await Promise.all(
    pages.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8')
      const [, title = file] = /^# (.*)$/m.exec(text) ?? []
      return { name: file.replaceAll('\\', '/').replace(/\.md$/, ''), title, text }
    }),
  )
  return new Map(
    guides.sort((a, b) => (a.name < b.name ? -1 : 1)).map((guide) => [guide.name, guide]),
  )
}

/** Our own text, so its HTML is trusted. Links to files that are not served become plain text. */
export function renderGuide({ name, text }: Guide, guides: Map<string, Guide>): Html {
  const isDefining = definedIn(name) !== undefined
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const words = this.parser.parseInline(tokens)
        const to = resolveLink(href, name, guides)
        return to === undefined ? words : `<a href="${to}">${words}</a>`
      },
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: string) =>
          `<tr${isDefining && tag === 'td' ? idOf(cells[0]!.text) : ''}>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        const body = token.rows.map((cells) => row(cells, 'td')).join('')
        return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>`
      },
      code({ text, lang }: Tokens.Code) {
        const [language = ''] = (lang ?? '').split(' ')
        return `<pre tabindex="0" data-language="${language}"><code>${escapeCode(text)}</code></pre>\n`
      },
      image: () => '',
    },
  })
  return asMarkup(marked.parse(text, { async: false }))
}

/** The row of an error or a variable has its name as its address. */
function idOf(cell: string): string {
  const [, name] = /^`([A-Za-z][\w.]*)`$/.exec(cell) ?? []
  return name === undefined ? '' : ` id="${name}"`
}

const escapeCode = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The same anchors as on GitHub, so that links between pages work in both places. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** The pages whose rows are found one by one, and so have an address each. */
export function definedIn(name: string): 'e' | 'v' | undefined {
  if (name === 'reference/errors') return 'e'
  return name === 'operating/configuration' ? 'v' : undefined
}

function resolveLink(href: string, from: string, guides: Map<string, Guide>): string | undefined {
  if (/^(https?:|#)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const target = path.join(path.dirname(from), file)
  if (target === '../openapi.json') return '/openapi.json'
  const name = target.replace(/\.md$/, '')
  const hash = anchor === undefined ? '' : `#${anchor}`
  return guides.has(name) ? `/docs/${name}${hash}` : undefined
}

/** The page as it is written, with links that lead to pages of the service. */
export function toServedMarkdown({ name, text }: Guide, guides: Map<string, Guide>): string {
  return text
    .replace(/^<!--.*-->\n+/gm, '')
    .replace(/^!\[[^\]]*\]\([^)]*\)\n+/gm, '')
    .replace(/(?<!!)\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s]+)\)/g, (_, words: string, href: string) => {
      const to = resolveLink(href, name, guides)
      return to === undefined ? words : `[${words}](${toPage(to)})`
    })
}

/** The start of a path, and the pages that explain it. */
const guidesByPath: [string, string[]][] = [
  ['/v1/collections/crypto-wallets', ['guides/wallets']],
  ['/v1/collections/dedicated-crypto-wallets', ['guides/wallets']],
  ['/v1/collections/payments', ['guides/collections', 'guides/wallets', 'guides/finding-payments']],
  ['/v1/balance-entries', ['guides/finding-payments']],
  ['/v1/timeline', ['guides/finding-payments']],
  ['/v1/recipients', ['guides/recipients', 'guides/payouts']],
  ['/v1/claims', ['guides/claims', 'guides/payouts']],
  ['/v1/test/claims', ['guides/claims']],
  ['/v1/payment-links', ['guides/payment-links']],
  ['/v1/disbursements/batches', ['guides/batches', 'guides/payouts']],
  [
    '/v1/settings',
    [
      'guides/checkout',
      'guides/collections',
      'guides/settlement',
      'guides/approvals',
      'guides/payout-controls',
    ],
  ],
]

const guidesByTag: Record<string, string[]> = {
  Collections: ['guides/collections'],
  Checkout: ['guides/checkout', 'guides/inline-checkout'],
  Disbursements: [
    'guides/payouts',
    'guides/approvals',
    'guides/payout-controls',
    'reference/payouts',
  ],
  Customers: ['guides/invoices'],
  'Sub-accounts': ['guides/marketplaces'],
  Splits: ['guides/marketplaces'],
  Conversions: ['guides/conversion'],
  Settlements: ['guides/settlement'],
  Balances: ['start'],
  Reports: ['guides/reports'],
  Search: ['guides/finding-payments'],
  Settings: ['guides/checkout'],
  Webhooks: ['guides/webhooks'],
  Events: ['guides/webhooks', 'reference/events'],
  Mails: ['guides/email'],
  'Request logs': ['guides/requests'],
  'Test mode': ['reference/test-mode'],
  Rails: ['guides/bank-adapter'],
  'Webhook events': ['guides/webhooks'],
}

type Named = { path: string; tags: string[] }

export function guidesOf({ path, tags }: Named, guides: Map<string, Guide>): Guide[] {
  const [, byPath] = guidesByPath.find(([start]) => path.startsWith(start)) ?? []
  const names: string[] = byPath ?? guidesByTag[tags[0]!] ?? []
  return names.map((name) => guides.get(name)).filter((guide) => guide !== undefined)
}
