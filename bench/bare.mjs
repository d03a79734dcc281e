/**
 * The limit of this stack: a Fastify server that parses the same requests and answers them with the
 * same bytes, and does nothing else. The routes come as a JSON argument.
 */
import Fastify from 'fastify'

const app = Fastify({ logger: false })
for (const { method, path, status, body } of JSON.parse(process.argv[2] ?? '[]'))
  app.route({
    method,
    url: path,
    handler: async (_request, reply) =>
      reply.code(status).type('application/json; charset=utf-8').send(body),
  })
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: app.addresses()[0]?.port })
process.on('disconnect', async () => {
  await app.close()
  process.exit(0)
})
