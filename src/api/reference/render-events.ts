import { type Html, html } from '../../base/html.js'
import { webhookLimits } from '../../webhooks/limits.js'
import { type ApiDocument, jsonOf } from './document.js'
import { renderText } from './render-fields.js'

/** The requests that webhook endpoints receive: when, and an example of each. */
export function renderEvents({ webhooks }: ApiDocument): Html {
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const example = jsonOf(post.requestBody)?.example
    return html`<details id="${type}"><summary><code>${type}</code></summary>
      <p>${renderText(post.description)}</p>
      <pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></details>`
  })
  return html`<h1>Webhook events</h1>
<p>Manilla sends these as <code>POST</code> requests to your webhook endpoints, signed as in
Standard Webhooks. Verify the signature before you trust the body, ignore an <code>id</code> that
you have seen, and answer 2xx within ${webhookLimits.attemptTimeoutMs / 1_000} seconds.</p>
<p class="guides">Read more: <a href="/docs/guides/webhooks">Webhooks</a> ·
<a href="/docs/reference/events">Events</a></p>
<div class="events">${events}</div>`
}
