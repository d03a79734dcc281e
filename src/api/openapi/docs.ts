import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { catalogue, eventTypes } from '../../events/catalogue.js'
import { packFile, sendFile } from '../reference/packed-file.js'
import { jsonType } from '../server/envelope.js'
import type { Route } from '../server/route.js'
import { bodySchema } from './event-schemas.js'
import { withExamples } from './examples.js'
import { describeFields } from './field-descriptions.js'
import { addReferencePage, type FindDemoKey } from './reference-page.js'
import { tags } from './tags.js'

/** The OpenAPI document, generated from the schemas that validate, and a page to read it. */
export async function addDocs(
  app: FastifyInstance,
  routes: Route[],
  findDemoKey: FindDemoKey,
): Promise<void> {
  await app.register(swagger, {
    transformObject: (document) =>
      complete('openapiObject' in document ? document.openapiObject : {}, routes),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Manilla',
        version: '1.0.0',
        description:
          'Collect naira and stablecoins, pay out to banks and wallets. The key selects the mode: `sk_test_…` or `sk_live_…`.',
        contact: { name: 'The operator of this service' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      webhooks: describeWebhooks(),
      components: {
        securitySchemes: {
          secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key, `sk_…`.' },
          publicKey: { type: 'http', scheme: 'bearer', description: 'A public key, `pk_…`.' },
          webhookSignature: {
            type: 'apiKey',
            in: 'header',
            name: 'webhook-signature',
            description:
              'Signature of a webhook, as in Standard Webhooks. Verify it before you trust the body.',
          },
        },
      },
    },
  })
  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs/'))
  let packing: ReturnType<typeof packFile> | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    packing ??= packFile(jsonType, JSON.stringify(app.swagger()))
    return sendFile(request, reply.header('cache-control', 'no-cache'), await packing)
  })
  await addReferencePage(app, () => JSON.parse(JSON.stringify(app.swagger())), findDemoKey)
}

function complete<Given extends object>(document: Given, routes: Route[]): Given {
  const named = nameSchemas(
    sortOperations(
      withExamples(withPermissions(withOptionalBodies(document, routes), routes), routes),
    ),
  )
  describeFields(named)
  return named
}

/** Reads before writes. */
function sortOperations<Given extends object>(document: Given): Given {
  const { paths = {} } = document as Described
  const order = ['get', 'post', 'patch', 'delete']
  const rank = ([method]: [string, unknown]) => order.indexOf(method)
  const sorted = Object.entries(paths).map(([path, operations]) => {
    const byRank = Object.entries(operations).toSorted((left, right) => rank(left) - rank(right))
    return [path, Object.fromEntries(byRank)]
  })
  return { ...document, paths: Object.fromEntries(sorted) }
}

type Operation = { operationId?: string; requestBody?: object; 'x-permissions'?: unknown[] }
type Described = { paths?: Record<string, Record<string, Operation>> }

/** The framework marks every body as required, even optional ones. */
function withOptionalBodies<Given extends object>(document: Given, routes: Route[]): Given {
  const optional = new Set(
    routes.filter(({ body }) => body && Type.IsOptional(body)).map(({ operation }) => operation),
  )
  const { paths = {} } = document as Described
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    if (operation.requestBody && optional.has(operation.operationId ?? ''))
      operation.requestBody = { ...operation.requestBody, required: false }
  return document
}

/** What a restricted key needs for an operation; for tools that are generated from the document. */
function withPermissions<Given extends object>(document: Given, routes: Route[]): Given {
  const needed = new Map(
    routes
      .filter(({ access }) => access === 'secret' || access === 'any_key')
      .map(({ operation, permission, alsoNeeds = [] }) => [operation, [permission, ...alsoNeeds]]),
  )
  const { paths = {} } = document as Described
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const permissions = needed.get(operation.operationId ?? '')
    if (permissions) operation['x-permissions'] = permissions
  }
  return document
}

/** Webhook requests by event type. */
function describeWebhooks() {
  const entries = eventTypes.map((type) => {
    const content = { 'application/json': { schema: bodySchema(type) } }
    const post = {
      operationId: `on.${type}`,
      summary: type,
      description: catalogue[type],
      tags: ['Webhook events'],
      security: [{ webhookSignature: [] }],
      requestBody: { required: true, content },
      responses: { 200: { description: 'Any 2xx acknowledges the event.' } },
    }
    return [type, { post }]
  })
  return Object.fromEntries(entries)
}

/** Moves every schema with a title to the components, and refers to it elsewhere. */
function nameSchemas<Given extends object>(document: Given): Given {
  const schemas: Record<string, unknown> = {}
  const named = replaceTitled(document, schemas) as Given & { components?: object }
  const sorted = Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1))
  return { ...named, components: { ...named.components, schemas: Object.fromEntries(sorted) } }
}

function replaceTitled(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceTitled(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaceTitled(item, schemas)]),
  )
  // The document has a title too, but no type.
  if (typeof copy.title !== 'string' || copy.type !== 'object') return copy
  schemas[copy.title] = copy
  return { $ref: `#/components/schemas/${copy.title}` }
}
