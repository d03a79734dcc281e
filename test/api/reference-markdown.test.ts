import { describe, expect, test } from 'vitest'
import { toMarkdown } from '../../src/api/reference/to-markdown.js'
import { asMarkup } from '../../src/base/html.js'
import { openManilla } from '../support/open-manilla.js'

const { ask, url } = await openManilla()
const { text: llms } = await ask('GET', '/llms.txt')
const linksOf = (text: string) =>
  [...text.matchAll(/\]\((\/[^)\s#]*)(?:#[^)\s]*)?\)/g)].map(([, to]) => to!)

describe('/llms.txt', () => {
  test('names every page, and has the shape of the format', async () => {
    const lines = llms.split('\n')
    expect(lines[0]).toBe('# Manilla')
    expect(lines[2]).toMatch(/^> Collect naira and stablecoins/)
    const { paths } = (await ask('GET', '/openapi.json')).json
    for (const { operationId } of Object.values<Record<string, never>>(paths).flatMap((methods) =>
      Object.values<{ operationId: string }>(methods),
    ))
      expect(llms).toContain(`(/docs/operations/${operationId}.md)`)
    expect(llms).toContain(
      '- [Approvals](/docs/guides/approvals.md): payouts that wait for another member',
    )
    expect(llms).toContain('- [Configuration](/docs/operating/configuration.md): every variable')
    expect(llms).toContain('[Create a bank transfer](/docs/operations/createBankTransfer.md)')
    const response = await fetch(`${url}/llms.txt`)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await ask('GET', '/docs/llms.txt')).text).toBe(llms)
    expect(Buffer.byteLength(llms)).toBeLessThan(40_000)
  })
})

describe('the Markdown of a page', () => {
  test('is served for every page, and its links lead to Markdown that is served', async () => {
    const seen = new Map<string, string>()
    const waiting = linksOf(llms)
    const wrong: string[] = []
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next) || next === '/openapi.json' || next === '/llms.txt') continue
      const reply = await ask('GET', next)
      seen.set(next, reply.text)
      const type = reply.headers.get('content-type')
      if (reply.status !== 200 || type !== 'text/markdown; charset=utf-8')
        wrong.push(`${next}: ${reply.status} ${type}`)
      if (!/^# \S/.test(reply.text)) wrong.push(`${next}: no title`)
      // Nothing of HTML is left, except in examples of it.
      const prose = reply.text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
      // A guide may fold what is long, as Markdown allows.
      const tag = /<\/?(?:p|div|ul|li|table|code|a|span|section|form|input)\b/.exec(prose)
      if (tag) wrong.push(`${next}: ${tag[0]}`)
      waiting.push(...linksOf(prose))
    }
    expect(wrong).toEqual([])
    expect(seen.size).toBeGreaterThan(200)
  })

  test('of an operation has what its page has', async () => {
    const { text } = await ask('GET', '/docs/operations/createBankTransfer.md')
    expect(text).toContain('# Create a bank transfer')
    expect(text).toContain('POST `/v1/disbursements/bank-transfer`')
    expect(text).toContain('- `amount` integer, at least 1, required\n  Amount in kobo.')
    expect(text).toContain('curl -X POST "$MANILLA_URL/v1/disbursements/bank-transfer"')
    expect(text).toContain('| 402 | `insufficient_balance` |')
    expect(text).not.toContain('Sending requests from this page')
    const page = await ask('GET', '/docs/operations/createBankTransfer')
    expect(page.text).toContain(
      '<link rel="alternate" type="text/markdown" href="/docs/operations/createBankTransfer.md">',
    )
  })

  test('of a guide is its source, with links that work here', async () => {
    const { text } = await ask('GET', '/docs/guides/approvals.md')
    expect(text).toContain('[Payout controls](/docs/guides/payout-controls.md)')
    expect(text).toContain('[payout batch](/docs/guides/batches.md#approval)')
    expect(text).toMatch(/^# Approvals\n\nWith an approval rule/)
    const agents = (await ask('GET', '/docs/guides/agents.md')).text
    expect(agents).not.toContain('<!--')
    expect(agents).not.toContain('../decisions')
  })

  test('of nothing is not found', async () => {
    for (const path of ['/docs/x.md', '/docs/.md', '/docs/guides.md', '/docs/openapi.json.md'])
      expect((await ask('GET', path)).status).toBe(404)
  })

  test('keeps text as it is', () => {
    const convert = (markup: string) => toMarkdown(asMarkup(markup))
    expect(convert('<p>a &lt; b &amp;&#39; <code>x &gt; y</code></p>')).toBe("a < b &' `x > y`\n")
    expect(convert('<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>')).toBe('- a\n  - b\n- c\n')
    expect(convert('<table><tr><th>a|b</th></tr><tr><td>c</td></tr></table>')).toBe(
      '| a\\|b |\n| --- |\n| c |\n',
    )
    expect(() => convert('<video></video>')).toThrow(/<video>/)
  })
})
