import { type Html, html } from '../../base/html.js'
import type { SearchIndex } from './build-search.js'
import { pathOfOperation } from './document.js'
import { type Frame, groupByTag } from './layout.js'

/** Links to everything that the search finds first, for readers without script. */
export function renderContents({ document, guides }: Frame, { pages }: SearchIndex): Html {
  const link = (href: string, text: string) => html`<li><a href="${href}">${text}</a></li>`
  const list = (title: string, links: Html[]) =>
    html`<h2>${title}</h2><ul class="contents">${links}</ul>`
  const defined = (kind: string, page: string) =>
    pages
      .filter((one) => one[0] === kind)
      .map(([, , title]) => html`<a href="/docs/${page}#${title}">${title}</a> `)
  return html`<h1>All pages</h1>
${list(
  'Guides and reference',
  [...guides.values()].map(({ name, title }) => link(`/docs/${name}`, title)),
)}
${groupByTag(document).map(({ name, operations }) =>
  list(
    name,
    operations.map((operation) => link(pathOfOperation(operation), operation.summary)),
  ),
)}
<h2>Errors</h2><p>${defined('e', 'reference/errors')}</p>
<h2>Configuration</h2><p>${defined('v', 'operating/configuration')}</p>
<h2>Webhook events</h2><p>${defined('t', 'events')}</p>`
}
