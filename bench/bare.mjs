/** The lower bound on this stack: a Fastify route that returns fixed bytes. */
import Fastify from 'fastify'

const [body = ''] = process.argv.slice(2)
const app = Fastify({ logger: false })
app.get('/public/checkout/:reference', async (_request, reply) =>
  reply.type('application/json; charset=utf-8').send(body),
)
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: app.addresses()[0]?.port })
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
process.on('disconnect', async () => {
  await app.close()
  process.exit(0)
})
