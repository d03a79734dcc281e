import { type Html, html } from '../../base/html.js'
import { limits } from '../../base/limits.js'
import { webhookLimits } from '../../webhooks/limits.js'
import { pathOfOperation } from './document.js'
import { type Frame, groupByTag, renderMethod } from './layout.js'
import { renderText } from './render-fields.js'

/** The first page: what every request has in common, and the list of operations. */
export function renderIntroduction({ document, serviceVersion }: Frame): Html {
  const { http } = limits
  const groups = groupByTag(document).map(
    ({ name, description, operations }) => html`<section><h3>${name}</h3><p>${description}</p>
<ul class="operations">${operations.map(
      (operation) => html`<li id="operation/${operation.operationId}">${renderMethod(operation)}
<a href="${pathOfOperation(operation)}">${operation.summary}</a>
<code>${operation.path}</code></li>`,
    )}</ul></section>`,
  )
  return html`<h1>Manilla API</h1>
<p>${renderText(document.info.description)}</p>
<p>Every operation below has a page that sends its example and shows the request as curl and as Node
code. <a href="/docs/start">Start in five minutes</a> · <a href="#operations">All operations</a> ·
<a href="/docs/events">Webhook events</a> · <a href="/llms.txt">Pages as Markdown</a></p>

<h2 id="keys">Keys</h2>
<p>Send your key as <code>Authorization: Bearer sk_test_…</code>. A secret key
(<code>sk_…</code>) may do everything and belongs on your server only. A public key
(<code>pk_…</code>) may only read your profile. The key selects the mode: <code>test</code> keys use
a simulated bank and chain, <code>live</code> keys move real money. Both modes have the same
operations, except those of <a href="/docs/reference/test-mode">test mode</a>.</p>

<h2 id="amounts">Amounts</h2>
<p>Naira amounts are integers in kobo: <code>1250000</code> is ₦12,500.00. USDC and USDT amounts are
decimal strings with up to 6 decimals: <code>"25.50"</code>. Times are ISO 8601 in UTC.</p>

<h2 id="responses">Responses and errors</h2>
<p>Success has <code>status: true</code>, a <code>message</code> and <code>data</code>. An error has
<code>status: false</code>, a <code>message</code> that says what to change, a <code>code</code> for
your program, often a <code>reason</code>, <code>details</code> by field, and a
<code>nextStep</code>. Quote <code>requestId</code> (header <code>X-Request-Id</code>) in support
questions. <a href="/docs/reference/errors">All errors</a></p>
<pre tabindex="0"><code>${JSON.stringify(refusalSample, null, 2)}</code></pre>
<p>Too many requests are answered with 429. Wait for the seconds of <code>Retry-After</code>.</p>

<h2 id="paging">Paging</h2>
<p>Lists are newest first and return <code>items</code> and <code>nextCursor</code>. Send
<code>cursor</code> with that value for the next page, until it is null. <code>limit</code> is 1 to
${http.pageSizeMax}, by default ${http.pageSizeDefault}. A cursor belongs to its list and
filters. <a href="/docs/guides/finding-payments">Filters, search and CSV</a></p>

<h2 id="idempotency">Idempotency</h2>
<p>Send an <code>Idempotency-Key</code> with every <code>POST</code>: a UUID, or better an
identifier of what you pay for. A retry with the same key and request returns the first response and
creates nothing; its header is <code>Idempotent-Replayed: true</code>. Payouts and settlements
require a key. After a timeout or a 5xx, send the same request with the same key.
<a href="/docs/guides/idempotency">Idempotency</a></p>

<h2 id="webhooks">Webhooks</h2>
<p>Register an endpoint, and Manilla sends it every event as a signed <code>POST</code>. Verify the
signature over the raw body, ignore events that you have seen, and answer 2xx within
${webhookLimits.attemptTimeoutMs / 1_000} seconds; otherwise the event is sent again.
<a href="/docs/events">All events</a> · <a href="/docs/guides/webhooks">Webhooks</a></p>

<h2 id="versions">Versions</h2>
<p>This describes version ${document.info.version} of the API, as served by Manilla
${serviceVersion}. The SDK has the version of the service: <code>manilla@${serviceVersion}</code>.
Within an API version, fields and operations are only added: ignore those that you do not know.</p>

<h2 id="operations">Operations</h2>
${groups}`
}

const refusalSample = {
  status: false,
  message: 'amount must be an integer in kobo, not a string.',
  code: 'validation_failed',
  details: [{ field: 'amount', issue: 'must be an integer in kobo, not a string' }],
  nextStep:
    'Correct what the message names (`details` lists the fields) and send the request again.',
  requestId: 'req_01a1dd1194ef73ddb6fb1c263f63557b',
}
