import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * While the server closes, each connection ends with its last pending answer, which says
 * `Connection: close`. Otherwise idle keep-alive connections would delay the shutdown.
 */
export function addGracefulClose(app: FastifyInstance): void {
  const pending = new WeakMap<Socket, number>()
  const count = (socket: Socket, change: number) =>
    pending.set(socket, (pending.get(socket) ?? 0) + change)
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
    // With pipelined requests this may not be the last answer.
    if (isClosing && pending.get(raw.socket) === 1) reply.header('connection', 'close')
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    count(raw.socket, -1)
    if (isClosing) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
}
