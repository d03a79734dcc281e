import { readFile } from 'node:fs/promises'
import { type Html, html } from '../../base/html.js'
import { jsonType } from '../server/envelope.js'
import { buildSearchIndex, type SearchIndex } from './build-search.js'
import { type ApiDocument, listOperations, pathOfOperation } from './document.js'
import { guidesOf, readGuides, renderGuide, toServedMarkdown } from './guides.js'
import { type Frame, renderReferencePage } from './layout.js'
import { renderLlms } from './llms.js'
import { type PackedFile, packFile } from './packed-file.js'
import { renderContents } from './render-contents.js'
import { renderEvents } from './render-events.js'
import { renderIntroduction } from './render-introduction.js'
import { renderOperation } from './render-operation.js'
import { readSdkMethods } from './sdk-methods.js'
import { referenceStyles } from './styles.js'
import { markdownPathOf, toMarkdown } from './to-markdown.js'

/** The files of the reference by path. Each page is rendered and compressed when first read. */
export type Reference = { find(path: string): Promise<PackedFile> | undefined }

type Rendered = {
  title: string
  description: string
  main: Html
  /** As it is written; other pages are converted. */
  markdown?: string
}

/** Compiled from web/. Found in dist/ also when this file runs from src/. */
const compiled = new URL('../../../dist/web/', import.meta.url)
const manifest = new URL('../../../package.json', import.meta.url)

export async function openReference(document: ApiDocument): Promise<Reference> {
  const [guides, sdkMethods, style, script, search, { version }] = await Promise.all([
    readGuides(),
    readSdkMethods(),
    packFile('text/css; charset=utf-8', referenceStyles()),
    packScript('reference-script.js'),
    packScript('search-pages.js'),
    readFile(manifest, 'utf8').then((text) => JSON.parse(text) as { version: string }),
  ])
  // The names contain a hash of the content, so browsers may cache the files forever.
  const styleUrl = `${assetStart}${style.hash}.css`
  const scriptUrl = `${assetStart}${script.hash}.js`
  const searchUrl = `${assetStart}${search.hash}.js`
  const index = buildSearchIndex(document, guides)
  const packedIndex = await packFile(jsonType, JSON.stringify(index))
  const indexUrl = `${assetStart}${packedIndex.hash}.json`
  const frame: Frame = {
    document,
    guides,
    styleUrl,
    scriptUrl,
    indexUrl,
    searchUrl,
    serviceVersion: version,
  }

  const pages = new Map<string, () => Rendered>([
    ['/docs/', () => describeIntroduction(frame)],
    ['/docs/events', () => describeEvents(document)],
    ['/docs/contents', () => describeContents(frame, index)],
    ...listOperations(document).map((operation): [string, () => Rendered] => [
      pathOfOperation(operation),
      () => ({
        title: `${operation.summary} · Manilla API`,
        description: operation.description.replaceAll('`', ''),
        main: renderOperation(document, operation, {
          guides: guidesOf(operation, guides),
          sdk: sdkMethods.get(`${operation.method} ${operation.path}`),
        }),
      }),
    ]),
    ...[...guides.values()].map((guide): [string, () => Rendered] => [
      `/docs/${guide.name}`,
      () => ({
        title: `${guide.title} · Manilla`,
        description: `${guide.title}: documentation of Manilla.`,
        main: html`<article>${renderGuide(guide, guides)}</article>`,
        markdown: toServedMarkdown(guide, guides),
      }),
    ]),
  ])
  const pageOf = new Map([...pages.keys()].map((path) => [markdownPathOf(path)!, path]))
  const llms = packFile(plainType, renderLlms(frame))
  const files = new Map<string, Promise<PackedFile>>([
    ['/llms.txt', llms],
    ['/docs/llms.txt', llms],
    [styleUrl, Promise.resolve(style)],
    [scriptUrl, Promise.resolve(script)],
    [searchUrl, Promise.resolve(search)],
    [indexUrl, Promise.resolve(packedIndex)],
  ])

  return {
    find(path) {
      const found = files.get(path)
      const page = pageOf.get(path)
      const render = pages.get(page ?? path)
      if (found || !render) return found
      const made =
        page === undefined
          ? packFile(htmlType, renderReferencePage(frame, { ...render(), path }))
          : packFile(markdownType, toPageMarkdown(render()))
      files.set(path, made)
      return made
    },
  }
}

export const htmlType = 'text/html; charset=utf-8'
const markdownType = 'text/markdown; charset=utf-8'
const plainType = 'text/plain; charset=utf-8'
export const assetStart = '/docs/assets/reference-'

function toPageMarkdown({ main, markdown }: Rendered): string {
  // The page of an operation says its section above the title.
  return markdown ?? toMarkdown(main).replace(/^[^#]*(?=# )/, '')
}

function describeIntroduction(frame: Frame): Rendered {
  const description =
    'Reference of the Manilla API: collect naira and stablecoins, pay out to banks and wallets.'
  return { title: 'Manilla API', description, main: renderIntroduction(frame) }
}

async function packScript(name: string): Promise<PackedFile> {
  const text = await readFile(new URL(name, compiled), 'utf8')
  return packFile('text/javascript; charset=utf-8', text)
}

function describeContents(frame: Frame, index: SearchIndex): Rendered {
  const description = 'Every operation, guide, error, variable and event of Manilla.'
  return { title: 'All pages · Manilla', description, main: renderContents(frame, index) }
}

function describeEvents(document: ApiDocument): Rendered {
  const description = 'Every webhook event of Manilla, when it is sent, and an example.'
  return { title: 'Webhook events · Manilla API', description, main: renderEvents(document) }
}
