import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * While the server closes, a connection ends with the last answer it waits for, and is told so in
 * that answer. Otherwise callers stay connected, and the close waits for them to tire of it.
 */
export function addPoliteClose(app: FastifyInstance): void {
  const underWay = new WeakMap<Socket, number>()
  const count = (socket: Socket, change: number) =>
    underWay.set(socket, (underWay.get(socket) ?? 0) + change)
  let isClosing = false

  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    count(raw.socket, 1)
    done()
  })
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    // Requests may be sent without waiting for the answers before them: then this is not the last.
    if (isClosing && underWay.get(raw.socket) === 1) reply.header('connection', 'close')
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    count(raw.socket, -1)
    if (isClosing) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
}
