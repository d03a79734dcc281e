import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { escapePointer } from '../support/conformance.js'

/** Every operation has examples of its request and of every answer. */

type Media = { schema: object; example?: unknown; examples?: Record<string, Example> }
type Example = { $ref?: string; value?: unknown }
type Body = { content: Record<string, Media> }
type Operation = { requestBody?: Body; responses: Record<string, Body> }

const file = path.resolve(import.meta.dirname, '../../openapi.json')
const document = JSON.parse(readFileSync(file, 'utf8'))
const paths = document.paths as Record<string, Record<string, Operation>>
const webhooks = document.webhooks as Record<string, { post: { requestBody: Body } }>

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  validateFormats: false,
  // The document itself is no schema; only its parts are compiled.
  validateSchema: false,
  // Each schema validates a few examples: optimizing it takes longer than it saves.
  code: { optimize: false },
})
ajv.addSchema(document, 'openapi')

const operations = Object.entries(paths).flatMap(([at, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${at}`,
    place: ['paths', at, method],
    operation,
  })),
)

/** The examples of a schema, all of which must be valid. */
function checkMedia(media: Media, place: string[]): unknown[] {
  const named = Object.values(media.examples ?? {}).map((example) => resolve(example).value)
  const values = 'example' in media ? [media.example, ...named] : named
  expect(values.length, place.join(' ')).toBeGreaterThan(0)
  const validate = ajv.getSchema(`openapi#/${[...place, 'schema'].map(escapePointer).join('/')}`)!
  for (const value of values) {
    const isValid = validate(value)
    expect(isValid || ajv.errorsText(validate.errors), JSON.stringify(value)).toBe(true)
  }
  return values
}

function resolve(example: Example): Example {
  if (!example.$ref) return example
  return document.components.examples[example.$ref.split('/').at(-1)!]
}

describe('an example', () => {
  test.each(operations)('exists for every part of $name and is valid', ({ place, operation }) => {
    for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
      checkMedia(media, [...place, 'requestBody', 'content', type])
    for (const [status, { content }] of Object.entries(operation.responses))
      for (const [type, media] of Object.entries(content)) {
        const at = [...place, 'responses', status, 'content', type]
        const values = checkMedia(media, at)
        if (Number(status) < 400) continue
        const said = values.map((value) => value as { code: string; reason?: string })
        expect(new Set(said.map(({ code, reason }) => `${code}.${reason}`)).size).toBe(said.length)
      }
  })

  test.each(Object.entries(webhooks))('exists for %s and is valid', (type, { post }) => {
    const [media] = Object.values(post.requestBody.content)
    const place = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json']
    const [value] = checkMedia(media!, place)
    expect(value).toMatchObject({ type })
  })

  // The amounts of an account are the sums of its payments.
  test('of money adds up', () => {
    for (const { post } of Object.values(webhooks)) {
      const { data } = post.requestBody.content['application/json']!.example as { data: Account }
      if (!data.payments || data.amountHeld === undefined) continue
      const parts = ['amountAccepted', 'amountHeld', 'amountReturning', 'amountReturned'] as const
      const sum = (values: unknown[]) => values.reduce<number>((all, one) => all + Number(one), 0)
      expect(sum(parts.map((part) => data[part]))).toBe(Number(data.amountReceived))
      for (const part of parts)
        expect(sum(data.payments.map((one) => one[part]))).toBe(Number(data[part]))
    }
  })
})

type Amounts = Record<
  'amountAccepted' | 'amountHeld' | 'amountReturning' | 'amountReturned',
  number | string
>
type Account = Amounts & { amountReceived?: number | string; payments?: Amounts[] }
