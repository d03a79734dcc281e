import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { createSender } from '../../src/webhooks/deliveries/send.js'
import { readUrl } from '../../src/webhooks/endpoints/read-url.js'

/**
 * A local server listens on every local address and counts requests. Whatever URL a merchant sets,
 * in live mode or without loopback, nothing may reach it or any other private address.
 */
let reached = 0
const inside = createServer((_request, response) => {
  reached += 1
  response.end()
})
beforeAll(() => new Promise<void>((resolve) => inside.listen(0, '::', resolve)))
afterAll(() => inside.close())
const port = () => (inside.address() as AddressInfo).port

const literals = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0x7f.1',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.1.254',
  '169.254.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '[::]',
  '[::2]',
  '[::127.0.0.1]',
  '[::10.0.0.1]',
  '[1::1]',
  '[4000::1]',
  '[8000::1]',
  '[fe00::1]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2001:db8::1]',
  '[2001::1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
]

const names: Record<string, string[]> = {
  localhost: ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'rebind.example': ['10.0.0.7'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'six.example': ['::1'],
  'nat.example': ['64:ff9b::7f00:1'],
}

type Found = { address: string; family: number }
type Lookup = (
  name: string,
  options: { all?: boolean },
  callback: (error: Error | null, found: Found[] | string, family?: number) => void,
) => void

function resolver(answers: (name: string) => string[]): Lookup {
  return (name, options, callback) => {
    const found = answers(name).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }))
    if (options.all) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }
}

const send = (url: string, mode: 'test' | 'live', answers: (name: string) => string[]) => {
  const sender = createSender({
    clock: systemClock,
    allowsLoopback: false,
    lookup: resolver(answers) as never,
  })
  return sender.send({ url, mode, headers: {}, body: '{}' }).finally(() => sender.close())
}

describe('private addresses', () => {
  test.each(literals)('%s is refused as a URL, and when connecting', async (host) => {
    const url = (scheme: string) => `${scheme}://${host}:${port()}/hooks`
    expect(() => readUrl(url('https'), 'live', true)).toThrow(/public address|absolute URL/)
    expect(() => readUrl(url('http'), 'test', false)).toThrow(/public address|absolute URL/)
    for (const [mode, scheme] of [
      ['test', 'http'],
      ['live', 'https'],
    ] as const) {
      if (!URL.canParse(url(scheme))) continue
      const sent = await send(url(scheme), mode, () => [host])
      expect(sent).toMatchObject({ status: null, error: expect.stringMatching(/not public/) })
    }
  })

  test.each(Object.entries(names))(
    '%s, which resolves to %j, is not reached',
    async (name, found) => {
      for (const [mode, scheme] of [
        ['test', 'http'],
        ['live', 'https'],
      ] as const) {
        const sent = await send(`${scheme}://${name}:${port()}/`, mode, () => found)
        expect(sent).toMatchObject({ status: null, error: 'the address is not public' })
      }
    },
  )

  // DNS rebinding: the first lookup returns a public address, later ones a private one. A check
  // apart from connecting would be fooled, so each send must do exactly one lookup.
  test('a hostname that changes between two lookups is not reached', async () => {
    let lookups = 0
    for (let round = 0; round < 5; round += 1) {
      const sent = await send(`http://changing.example:${port()}/`, 'test', () =>
        lookups++ === 0 ? ['203.0.113.9'] : ['127.0.0.1'],
      )
      expect(sent).toMatchObject({ status: null, error: 'the address is not public' })
    }
    expect(lookups).toBe(5)
  })

  test('none of these reached the local server', () => {
    expect(literals.length + Object.keys(names).length).toBeGreaterThanOrEqual(40)
    expect(reached).toBe(0)
  })
})

describe('what the URL alone shows', () => {
  test.each([
    ['http://example.com/', 'live', /https/],
    ['https://user:pass@example.com/', 'live', /user name/],
    ['https://user@example.com/', 'test', /user name/],
    ['ftp://example.com/', 'test', /https:\/\/ or http/],
    ['javascript:alert(1)', 'test', /absolute URL/],
    ['//example.com/', 'test', /absolute URL/],
    ['http:127.0.0.1', 'test', /absolute URL/],
    ['https://example.com/a\nb', 'test', /absolute URL/],
    ['https://example.com\\@evil.example/', 'test', /absolute URL/],
    ['https://example.com:0/', 'test', /absolute URL/],
    [`https://example.com/${'é'.repeat(2_000)}`, 'test', /at most 2048/],
    ['example.com', 'test', /absolute URL/],
    ['https://example.com/#x', 'live', /fragment/],
  ] as const)('%s in %s mode is refused', (url, mode, message) => {
    expect(() => readUrl(url, mode, false)).toThrow(message)
  })

  test('loopback is allowed in test mode if the operator allows it, and never in live mode', () => {
    expect(readUrl('http://127.0.0.1:9999/', 'test', true).port).toBe('9999')
    expect(() => readUrl('https://127.0.0.1:9999/', 'live', true)).toThrow(/public/)
  })
})
