import { type Html, html } from '../../base/html.js'
import {
  type ApiDocument,
  follow,
  isSampled,
  jsonOf,
  type ListedOperation,
  type Parameter,
  parametersIn,
  type RefusalExample,
  successOf,
} from './document.js'
import type { Guide } from './guides.js'
import { renderMethod } from './layout.js'
import { prepare } from './preparations.js'
import { renderFields, renderParameters, renderText } from './render-fields.js'
import type { SdkMethod } from './sdk-methods.js'

type Explained = { guides: Guide[]; sdk: SdkMethod | undefined }

/** Everything about one operation, and a form that sends its example. */
export function renderOperation(
  document: ApiDocument,
  operation: ListedOperation,
  { guides, sdk }: Explained,
): Html {
  const path = parametersIn(operation, 'path')
  const query = parametersIn(operation, 'query')
  const body = jsonOf(operation.requestBody)?.schema
  const bodyFields = body && renderFields(document, body, { isRequest: true })
  return html`<p class="soft">${operation.tags[0]}</p>
<h1>${operation.summary}</h1>
<p class="address">${renderMethod(operation)} <code>${operation.path}</code></p>
<p>${renderText(operation.description)}</p>
<p>${renderKey(operation)}</p>
${guides.length > 0 && renderGuideLinks(guides)}
<div class="columns">${renderForm(document, operation, sdk)}<div>
${path.length > 0 && [html`<h2>Path</h2>`, renderParameters(document, path)]}
${query.length > 0 && [html`<h2>Query</h2>`, renderParameters(document, query)]}
${bodyFields && [html`<h2>Request body</h2>`, bodyFields]}
${renderSuccess(document, operation)}
${renderRefusals(document, operation)}
</div></div>`
}

function renderKey(operation: ListedOperation): Html {
  const kinds = operation.security.flatMap((requirement) => Object.keys(requirement))
  const key = kinds.includes('publicKey')
    ? 'Needs a secret or a public key.'
    : kinds.includes('secretKey')
      ? 'Needs a secret key.'
      : operation.path.startsWith('/rails/')
        ? 'Needs the signature of the bank.'
        : 'Needs no key.'
  const header = findKeyHeader(operation)
  if (!header) return html`${key}`
  const why = header.required ? 'Requires an' : 'Accepts an'
  return html`${key} ${why} <a href="/docs/#idempotency"><code>Idempotency-Key</code></a>.`
}

function findKeyHeader(operation: ListedOperation): Parameter | undefined {
  return parametersIn(operation, 'header').find(({ name }) => name === 'Idempotency-Key')
}

function renderGuideLinks(guides: Guide[]): Html {
  const links = guides.map(
    ({ name, title }, at) => html`${at > 0 && ' · '}<a href="/docs/${name}">${title}</a>`,
  )
  return html`<p class="guides">Read more: ${links}</p>`
}

function renderSuccess(document: ApiDocument, operation: ListedOperation): Html {
  const [status, content] = successOf(operation)
  const media = jsonOf(content)
  const heading = html`<h2>Response <small>${status}</small></h2>`
  if (!media?.schema) {
    const { description = '' } = Object.values(content.content ?? {})[0]?.schema ?? {}
    return html`${heading}<p>A stream of server-sent events. ${renderText(description)}</p>`
  }
  const data = follow(document, media.schema).properties?.data ?? {}
  const { items } = follow(document, data).properties ?? {}
  const fields = renderFields(document, items ?? data, { isRequest: false })
  const hasCsv = Object.keys(content.content ?? {}).includes('text/csv')
  return html`${heading}
    <p>${
      items
        ? html`<code>data.items</code> is an array. Each item has these fields:`
        : html`${fields ? html`<code>data</code> has these fields:` : 'No data.'}`
    }${hasCsv && html` With <code>Accept: text/csv</code>, the items as CSV.`}</p>
    ${fields}
    <details><summary>Example response</summary>${renderJson(media.example)}</details>`
}

const renderJson = (value: unknown) =>
  html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`

/** Every error answer: status, code and reason, and when it occurs. */
function renderRefusals(document: ApiDocument, { responses }: ListedOperation): Html {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) =>
      Object.values(jsonOf(response)?.examples ?? {}).map((example) => {
        const { value, summary } =
          '$ref' in example ? followExample(document, example.$ref) : example
        return html`<tr><td>${status}</td><td><code>${value.code}</code>${
          value.reason && html` <code>${value.reason}</code>`
        }</td><td>${renderText(summary)}</td></tr>`
      }),
    )
  return html`<details class="errors"><summary>Errors</summary><p>What to do about each:
    <a href="/docs/reference/errors">errors</a>.</p><div class="wide" tabindex="0"><table><thead>
    <tr><th>HTTP</th><th>Code, reason</th><th>When</th></tr></thead><tbody>${rows}</tbody></table>
    </div></details>`
}

function followExample({ components }: ApiDocument, ref: string): RefusalExample {
  return components.examples[ref.split('/').at(-1)!]!
}

/** Works with the script only; the styles hide it where there is none. */
function renderForm(
  document: ApiDocument,
  operation: ListedOperation,
  sdk: SdkMethod | undefined,
): Html {
  const { method, path, security } = operation
  const body = jsonOf(operation.requestBody)
  const hasBody = body !== undefined && method !== 'GET'
  const [, success] = successOf(operation)
  const facts = {
    method,
    path,
    sdk,
    steps: prepare(document, operation),
    example: hasBody ? body.example : undefined,
    pathExample: examplesOf(parametersIn(operation, 'path')),
    needsKey: security.length > 0,
    isKeyed: findKeyHeader(operation) !== undefined,
  }
  const hasCsv = Object.keys(success.content ?? {}).includes('text/csv')
  const isPrepared = facts.steps.length > 0
  const newKey = 'A new UUID for each request'
  return html`<section class="try" aria-labelledby="try"><h2 id="try">Try it</h2>
<noscript><p>Sending requests from this page needs JavaScript.</p></noscript>
<form data-operation="${JSON.stringify(facts)}">
${facts.needsKey && renderInput('key', 'Secret test key', { placeholder: 'sk_test_…' })}
${parametersIn(operation, 'path').map((parameter) => renderParameter(parameter, isPrepared))}
${parametersIn(operation, 'query').map((parameter) => renderParameter(parameter, false))}
${hasCsv && renderSelect('accept', 'Format', ['application/json', 'text/csv'])}
${facts.isKeyed && renderInput('idempotency', 'Idempotency-Key', { placeholder: newKey })}
${
  hasBody &&
  html`<label>Body <textarea name="body" rows="${rowsOf(body.example)}" spellcheck="false"
>${JSON.stringify(body.example, null, 2)}</textarea>
<small>References and times that you leave unchanged are made new for each request.</small></label>`
}
<button class="send">Send</button>
</form>
<div class="answer" role="status" hidden></div>
<details open><summary>curl</summary><div class="code"><pre tabindex="0"><code id="curl"
>${toCurl(operation, facts)}</code></pre></div></details>
${
  sdk &&
  html`<details><summary>Node SDK</summary><div class="code"><pre tabindex="0"><code
  id="node"></code></pre></div></details>`
}
</section>`
}

const rowsOf = (example: unknown) => JSON.stringify(example, null, 2).split('\n').length

function renderParameter(parameter: Parameter, isFound: boolean): Html {
  const { name, in: place, required, example, schema } = parameter
  const values = schema.enum
  const label = required && place === 'query' ? `${name} (required)` : name
  if (values && place === 'query' && !required)
    return renderSelect(`query.${name}`, label, ['', ...values.map(String)])
  const isFilled = isSampled(parameter) && !isFound
  return renderInput(`${place}.${name}`, label, {
    placeholder: isFound ? 'Found or created when you send' : String(example ?? ''),
    value: isFilled ? String(example ?? '') : '',
  })
}

type Input = { placeholder: string; value?: string }

function renderInput(name: string, label: string, { placeholder, value = '' }: Input): Html {
  return html`<label>${label} <input name="${name}" placeholder="${placeholder}" value="${value}"
    autocomplete="off" autocapitalize="off" spellcheck="false"></label>`
}

function renderSelect(name: string, label: string, values: string[]): Html {
  const options = values.map((value) => html`<option value="${value}">${value || 'any'}</option>`)
  return html`<label>${label} <select name="${name}">${options}</select></label>`
}

type Sample = { isKeyed: boolean; example: unknown; pathExample: Record<string, string> }

/**
 * For readers without script, which replaces it by the request as it would be sent. It has as many
 * lines, so that nothing moves then. Every command in it exists on macOS and on Linux.
 */
function toCurl(operation: ListedOperation, { isKeyed, example, pathExample }: Sample): string {
  const { method, security, operationId } = operation
  const path = operation.path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    pathExample[name] ? encodeURIComponent(pathExample[name]) : whole,
  )
  const sampled = parametersIn(operation, 'query').filter(isSampled)
  const query = sampled.length > 0 ? `?${new URLSearchParams(examplesOf(sampled))}` : ''
  const quote = (text: string) => `'${text.replace(/'/g, "'\\''")}'`
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$MANILLA_URL${path}${query}"`,
    ...(security.length > 0 ? ['-H "Authorization: Bearer $MANILLA_KEY"'] : []),
    ...(isKeyed ? [`-H "Idempotency-Key: ${operationId}-$(date +%s)"`] : []),
    ...(example === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(example, null, 2))}`]),
  ]
  return lines.join(' \\\n  ')
}

function examplesOf(parameters: Parameter[]): Record<string, string> {
  return Object.fromEntries(parameters.map(({ name, example }) => [name, String(example ?? '')]))
}
