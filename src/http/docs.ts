import swagger from '@fastify/swagger'
import reference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'

/** The OpenAPI document, written from the schemas that validate, and a page to read it. */
export async function addDocs(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Manilla',
        version: '1.0.0',
        description:
          'Collect naira and stablecoins, pay out to banks and wallets. The key selects the mode: `sk_test_…` or `sk_live_…`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key, `sk_…`.' },
          publicKey: { type: 'http', scheme: 'bearer', description: 'A public key, `pk_…`.' },
        },
      },
    },
  })
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(app.swagger())),
  )
  await app.register(reference, {
    routePrefix: '/docs',
    configuration: { url: '/openapi.json', theme: 'none', hideClientButton: true },
  })
}
