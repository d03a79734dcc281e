import { type Html, html } from '../../base/html.js'
import { mark, tabIcon } from '../checkout-page/signs.js'
import {
  type ApiDocument,
  type ListedOperation,
  listOperations,
  pathOfOperation,
} from './document.js'
import type { Guide } from './guides.js'
import { markdownPathOf } from './to-markdown.js'

export type Frame = {
  document: ApiDocument
  guides: Map<string, Guide>
  styleUrl: string
  scriptUrl: string
  /** What the search loads when a reader begins to: its index, and the script that reads it. */
  indexUrl: string
  searchUrl: string
  /** Version of the service and its SDK, which are released together. */
  serviceVersion: string
}

type Page = { title: string; description: string; main: Html; path: string }

/** A whole page: head, content, and the menu of all pages. The menu follows on a small screen. */
export function renderReferencePage(
  frame: Frame,
  { title, description, main, path }: Page,
): string {
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="description" content="${description}">
<meta name="theme-color" media="(prefers-color-scheme:light)" content="#faf7f1">
<meta name="theme-color" media="(prefers-color-scheme:dark)" content="#14130f">
<link rel="icon" href="${tabIcon}">
<link rel="alternate" type="text/markdown" href="${markdownPathOf(path)}">
<link rel="stylesheet" href="${frame.styleUrl}">
<script type="module" src="${frame.scriptUrl}"></script>
</head><body>
<header><a class="home" href="/docs/">${mark} Manilla API</a>
<input class="search" type="search" role="combobox" aria-label="Search" aria-expanded="false"
aria-controls="hits" aria-autocomplete="list" placeholder="Search ( / )" autocomplete="off"
autocapitalize="off" spellcheck="false" data-index="${frame.indexUrl}"
data-search="${frame.searchUrl}">
<a class="jump" href="#menu">Menu</a></header>
<div class="frame"><main>${main}</main>
<nav id="menu" aria-label="Reference">${renderMenu(frame, path)}</nav></div>
<footer>API ${frame.document.info.version} · Manilla ${frame.serviceVersion} ·
<a href="/openapi.json">openapi.json</a></footer>
</body></html>`
  return markup
}

const starts = [
  ['/docs/', 'Introduction'],
  ['/docs/events', 'Webhook events'],
  ['/docs/contents', 'All pages'],
] as const

function renderMenu({ document, guides }: Frame, path: string): Html {
  // The method is an attribute, which the styles show, and folds group the links without a list: a
  // menu of all operations, which every page has, stays small.
  const link = (href: string, text: string, method?: string) =>
    html`<a href="${href}"${href === path && html` aria-current="page"`}${
      method && html` data-method="${method}"`
    }>${text}</a>`
  const groups = groupByTag(document).map(({ name, operations }) => {
    const isOpen = operations.some((operation) => pathOfOperation(operation) === path)
    return html`<details${isOpen && html` open`}><summary>${name}</summary>${operations.map(
      (operation) => link(pathOfOperation(operation), operation.summary, operation.method),
    )}</details>`
  })
  const listed = [...guides.values()].filter(({ name }) => isForMerchants(name))
  return html`${starts.map(([href, text]) => link(href, text))}
    ${groups}
    ${
      listed.length > 0 &&
      html`<details${path.startsWith('/docs/guides') && html` open`}><summary
      >Guides</summary>${listed.map(({ name, title }) => link(`/docs/${name}`, title))}
      </details>`
    }`
}

/** Other pages are for operators. */
export const isForMerchants = (name: string) =>
  /^(start$|guides\/|reference\/|glossary$)/.test(name)

export function renderMethod({ method }: Pick<ListedOperation, 'method'>): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}

/** Tags without operations are left out. */
export function groupByTag(document: ApiDocument) {
  const operations = listOperations(document)
  return document.tags
    .map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter(({ tags }) => tags[0] === name),
    }))
    .filter((group) => group.operations.length > 0)
}
