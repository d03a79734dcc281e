import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { BoundedMap } from '../../../src/rails/bounded-map.js'
import { NodeFailure, parseJson, RpcNode, WrongChain } from '../../../src/rails/solana/rpc/node.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('large numbers are parsed exactly and strings stay unchanged', () => {
  const text =
    '{"a":18446744073709551615,"b":[9007199254740993,-12345678901234567],"c":12,' +
    '"d":"\\"18446744073709551615, 1","e":1234567890123456.5,"18446744073709551615":1e20}'
  expect(parseJson(text)).toEqual({
    a: '18446744073709551615',
    b: ['9007199254740993', '-12345678901234567'],
    c: 12,
    d: '"18446744073709551615, 1',
    e: 1234567890123456.5,
    '18446744073709551615': 1e20,
  })
})

test('a missing, malformed or incomplete response is an endpoint failure', async () => {
  const call = { method: 'getSlot', params: [] }
  const habits: RequestListener[] = [
    () => undefined,
    (request) => request.socket.destroy(),
    (_, response) => response.writeHead(503).end('{}'),
    (_, response) => response.end('<html>'),
    (_, response) => response.end('null'),
    (_, response) => response.end('[{"id":0,"result":1}]'),
  ]
  for (const habit of habits) {
    const endpoint = new RpcNode(await serve(habit), undefined, 100)
    await expect(endpoint.post([call, call])).rejects.toBeInstanceOf(NodeFailure)
    endpoint.close()
  }
})

test('an endpoint that refuses batches gets single calls', async () => {
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const refused = { id: null, error: { code: -32600, message: 'no batches' } }
    const result = body.method === 'getGenesisHash' ? 'hash' : body.params
    response.end(JSON.stringify(body.id === undefined ? refused : { ...body, result }))
  })
  const endpoint = new RpcNode(url)
  const calls = [1, 2, 3].map((number) => ({ method: 'echo', params: [number] }))
  const answers = [{ result: [1] }, { result: [2] }, { result: [3] }]
  expect(await endpoint.post(calls)).toEqual(answers)
  expect(await endpoint.post(calls)).toEqual(answers)
  endpoint.close()
})

// Without batches, the answer counts only if the node is on our chain before and after.
test.each([200, 403])(
  'without batches (HTTP %s), the chain is checked around calls',
  async (status) => {
    let served = 'ours'
    let changesTo: string | undefined
    const url = await serve(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = JSON.parse(Buffer.concat(chunks).toString())
      const refused = { id: null, error: { code: -32600, message: 'no batches' } }
      if (body.id === undefined) return response.writeHead(status).end(JSON.stringify(refused))
      const result = body.method === 'getGenesisHash' ? served : body.params
      if (body.method === 'echo') served = changesTo ?? served
      return response.end(JSON.stringify({ id: body.id, result }))
    })
    const identity = {
      verify(hash: string) {
        if (hash !== 'ours') throw new WrongChain(hash)
      },
    }
    const endpoint = new RpcNode(url, identity)
    const call = { method: 'echo', params: [1] }
    expect(await endpoint.post([call, call])).toEqual([{ result: [1] }, { result: [1] }])
    changesTo = 'other'
    await expect(endpoint.post([call])).rejects.toBeInstanceOf(WrongChain)
    served = 'ours'
    changesTo = undefined
    expect(await endpoint.post([call])).toEqual([{ result: [1] }])
    endpoint.close()
  },
)

// A rate limit is answered with one error, like a refusal of batches.
test('a busy endpoint keeps getting batches', async () => {
  let isBusy = true
  const sizes: number[] = []
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { id: number }[]
    sizes.push([body].flat().length)
    const busy = { id: null, error: { code: 429, message: 'slow down' } }
    const answers = [body].flat().map(({ id }) => ({ id, result: 'x' }))
    response.end(JSON.stringify(isBusy ? busy : answers))
  })
  const endpoint = new RpcNode(url)
  const call = { method: 'echo', params: [] }
  await expect(endpoint.post([call])).rejects.toThrow('slow down')
  isBusy = false
  expect(await endpoint.post([call, call])).toHaveLength(2)
  expect(sizes).toEqual([2, 3])
  endpoint.close()
})

test('errors never contain the API key of the URL', async () => {
  const url = await serve((_, response) => response.writeHead(403).end())
  const endpoint = new RpcNode(`${url.replace('//', '//me:hidden@')}/hidden?api-key=hidden`)
  const failure = await endpoint.post([{ method: 'getSlot', params: [] }]).catch((error) => error)
  expect(failure.message).toBe(`${new URL(url).host}: HTTP 403`)
  endpoint.close()
})

test('a bounded map evicts the least recently used entry', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  expect(map.find('a')).toBe(1)
  map.set('c', 3)
  expect(['a', 'b', 'c'].map((key) => map.find(key))).toEqual([1, undefined, 3])
  expect(map.size).toBe(2)
})
