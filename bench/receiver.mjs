/**
 * Webhook receivers in one process, as cheap as possible because they share the machine. The first
 * letter of the path selects the behaviour: quick, slow or dead.
 */
import { createServer } from 'node:net'

const slowMs = 2_000
const seen = new Map()
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

const server = createServer((socket) => {
  let text = ''
  const readHeader = (header) => {
    const start = text.indexOf(header) + header.length
    return text.slice(start, text.indexOf('\r\n', start))
  }
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    text += chunk
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number.parseInt(readHeader('content-length: '), 10)
    if (text.length < end + 4 + length) return
    const path = text.slice(5, text.indexOf(' ', 5))
    // Copied, because a slice would keep the whole request in memory.
    const id = Buffer.from(readHeader('webhook-id: '), 'latin1').toString('latin1')
    text = ''
    if (path.startsWith('/dead')) return
    if (!seen.has(path)) seen.set(path, new Set())
    seen.get(path).add(id)
    if (path.startsWith('/slow')) setTimeout(() => socket.write(answer), slowMs)
    else socket.write(answer)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port }))

process.on('message', () =>
  process.send?.([...seen].map(([path, ids]) => ({ path, received: ids.size }))),
)
process.on('disconnect', () => process.exit(0))
