import { pathOfOperation } from './document.js'
import type { Guide } from './guides.js'
import { type Frame, groupByTag, isForMerchants } from './layout.js'
import { markdownPathOf } from './to-markdown.js'

/** `/llms.txt` (llmstxt.org): every page as Markdown, for programs that read. */
export function renderLlms({ document, guides }: Frame): string {
  const link = (path: string, title: string, about: string) =>
    `- [${title}](${markdownPathOf(path)})${about === '' ? '' : `: ${about}`}`
  const about = describeGuides(guides)
  const guideLinks = (isWanted: (guide: Guide) => boolean) =>
    [...guides.values()]
      .filter(isWanted)
      .map(({ name, title }) => link(`/docs/${name}`, title, about.get(name) ?? ''))
  const groups = groupByTag(document).map(({ name, operations }) =>
    [
      `## ${name}`,
      '',
      ...operations.map((operation) =>
        link(
          pathOfOperation(operation),
          operation.summary,
          `\`${operation.method} ${operation.path}\``,
        ),
      ),
    ].join('\n'),
  )
  return [
    '# Manilla',
    `> ${document.info.description}`,
    'Amounts in naira are integers in kobo; amounts in USDC and USDT are decimal strings. Every page of `/docs` is also Markdown: add `.md` to its address. The whole API is in [openapi.json](/openapi.json). Agents use it with [`manilla mcp`](/docs/guides/agents.md).',
    `## Start\n\n${[
      link('/docs/', 'Introduction', 'keys, amounts, errors, paging, idempotency, webhooks'),
      link('/docs/events', 'Webhook events', 'every type with an example'),
      ...guideLinks(({ name }) => /^(start|glossary)$/.test(name)),
    ].join('\n')}`,
    `## Guides\n\n${guideLinks(({ name }) => name.startsWith('guides/')).join('\n')}`,
    `## Reference\n\n${guideLinks(({ name }) => name.startsWith('reference/')).join('\n')}`,
    ...groups,
    // What a short context can do without, by the convention of the format.
    `## Optional\n\n${guideLinks(({ name }) => !isForMerchants(name)).join('\n')}`,
  ]
    .join('\n\n')
    .concat('\n')
}

/** What the table of contents says about each page. */
function describeGuides(guides: Map<string, Guide>): Map<string, string> {
  const text = guides.get('README')?.text ?? ''
  const rows = text.matchAll(/^\| \[[^\]]+\]\(([\w/-]+)\.md\) \| ([^|]+) \|$/gm)
  return new Map([...rows].map(([, name, about]) => [name!, toPlain(about!)]))
}

const toPlain = (markdown: string) => markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').trim()
