import {
  type Described,
  type Document,
  dataOf,
  describedBy,
  inputName,
  inputOf,
} from '../../sdk/scripts/document.js'
import { nameOf, type Schema } from '../../sdk/scripts/print-schema.js'
import {
  isOperation,
  type Operation,
  type Operations,
  operations,
  parametersOf,
} from '../../sdk/src/operations.js'
import { sharedNames } from './shared-names.js'

/** The API without the grammar of JSON Schema: what an emitter needs to print an SDK. */
export type Api = {
  /** The top level: `payments`, `checkout` with `checkout.sessions`, … */
  resources: ApiResource[]
  /** Every object of requests, answers and events, by name. */
  models: Model[]
  enums: Enum[]
  /** Types of the model `WebhookEvent`, with the model of its `data`, which is an object there. */
  events: ApiEvent[]
  /** Values of `code` and `reason` of an error. */
  errorCodes: string[]
  errorReasons: string[]
}

export type ApiResource = {
  /** As in TypeScript, such as `virtualAccounts`. */
  name: string
  /** From the top: `['checkout', 'sessions']`. */
  address: string[]
  operations: ApiOperation[]
  resources: ApiResource[]
}

export type ApiOperation = {
  name: string
  /** Of the document, such as `createVirtualAccount`. Unique. */
  id: string
  method: Operation['method']
  /** `/v1/collections/virtual-accounts/{reference}`. */
  path: string
  pathParameters: { name: string; description: string }[]
  /** A query is a model, too: one field for each parameter. */
  input?: { in: 'query' | 'body'; model: string; isOptional: boolean }
  /** The body may also be a text, sent as `text/csv`. */
  acceptsCsv: boolean
  answer: Answer
  /** Sent without a key. */
  isPublic: boolean
  /** Sent with an idempotency key. */
  isKeyed: boolean
  summary: string
  description: string
  /** Example of the body. */
  example?: unknown
}

/** `page`: a list read page by page. `list`: `items` without pages. `csv`, `pdf`: files. */
export type Answer =
  | { kind: 'item'; type: Type }
  | { kind: 'page'; item: Type }
  | { kind: 'list'; item: Type }
  | { kind: 'csv' | 'pdf' | 'nothing' }

export type Model = {
  name: string
  description: string
  fields: Field[]
  /** Sent by the caller: an optional field may be left out, a nullable one be set to null. */
  isInput: boolean
}

export type Field = {
  /** As in JSON. */
  name: string
  type: Type
  isOptional: boolean
  isNullable: boolean
  description: string
  example?: unknown
}

/**
 * `const`: a string with one value today. `amount`: an integer in kobo or a decimal string. `count`:
 * an integer, or a text such as `1000+`. `object`: any JSON object. `any`: any JSON value.
 */
export type Type =
  | { kind: 'string' | 'integer' | 'number' | 'boolean' | 'amount' | 'count' | 'object' | 'any' }
  | { kind: 'const'; value: string }
  | { kind: 'enum'; name: string }
  | { kind: 'model'; name: string }
  | { kind: 'list'; items: Type }

/** Values that are known today: an answer may have others. */
export type Enum = { name: string; values: string[] }

export type ApiEvent = { type: string; description: string; model: string }

/** A place in the document: where an object or enum is used. */
type Place = { address: string; name: string }

/** Reads openapi.json, once, for all emitters. Throws for a schema that it does not understand. */
export function readApi(document: Document): Api {
  const reader = new Reader(document)
  const { components, webhooks } = document
  for (const [name, schema] of Object.entries(components.schemas)) reader.addModel(name, schema)
  const resources = readResources(reader, operations, [])
  const { code, reason } = components.schemas.Refusal!.properties!
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const { $ref } = post.requestBody.content['application/json'].schema.properties!.data!
    return { type, description: post.description, model: nameOf($ref!) }
  })
  const { models, enums } = reader.finish()
  // The choices of a merged object cannot be reached.
  const used = findUsed(models, [
    ...operationsOf(resources).flatMap(typesOf),
    ...events.map(({ model }): Type => ({ kind: 'model', name: model })),
  ])
  return {
    resources,
    models: models.filter(({ name }) => used.has(name)),
    enums: enums.filter(({ name }) => used.has(name)),
    events,
    errorCodes: code!.enum as string[],
    errorReasons: reason!.enum as string[],
  }
}

function typesOf({ input, answer }: ApiOperation): Type[] {
  const types = typesOfAnswer(answer)
  return input ? [{ kind: 'model', name: input.model }, ...types] : types
}

/** The type of what an operation answers, or of its items; none for a file. */
export function typesOfAnswer(answer: Answer): Type[] {
  if ('type' in answer) return [answer.type]
  return 'item' in answer ? [answer.item] : []
}

/** Names of the models and enums that can be reached from these types. */
export function findUsed(models: Model[], roots: Type[]): Set<string> {
  const byName = new Map(models.map((model) => [model.name, model]))
  const used = new Set<string>()
  const waiting = [...roots]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.kind === 'list') waiting.push(next.items)
    if (!('name' in next) || used.has(next.name)) continue
    used.add(next.name)
    waiting.push(...(byName.get(next.name)?.fields ?? []).map(({ type }) => type))
  }
  return used
}

/** Every operation of a resource and of those below it. */
export function operationsOf(resources: ApiResource[]): ApiOperation[] {
  return resources.flatMap(({ operations, resources: inner }) => [
    ...operations,
    ...operationsOf(inner),
  ])
}

function readResources(reader: Reader, rows: Operations, address: string[]): ApiResource[] {
  return Object.entries(rows)
    .filter((entry): entry is [string, Operations] => !isOperation(entry[1]))
    .map(([name, inner]) => {
      const own = Object.entries(inner).filter((entry): entry is [string, Operation] =>
        isOperation(entry[1]),
      )
      return {
        name,
        address: [...address, name],
        operations: own.map(([name, row]) => readOperation(reader, name, row)),
        resources: readResources(reader, inner, [...address, name]),
      }
    })
}

function readOperation(reader: Reader, name: string, row: Operation): ApiOperation {
  const described = describedBy(reader.document, row)
  const { operationId, summary, description, requestBody, parameters = [] } = described
  const { method, path, isPublic } = row
  const input = inputOf(row, described)
  const model = inputName(row, described)
  if (input) reader.addModel(model, input, `${summary}.`)
  return {
    name,
    id: operationId,
    method,
    path,
    pathParameters: parametersOf(path).map((name) => ({
      name,
      description: parameters.find((parameter) => parameter.name === name)?.description ?? '',
    })),
    ...(input && {
      input: {
        in: row.takes === 'body' ? 'body' : 'query',
        model,
        isOptional: (input.required ?? []).length === 0 && method !== 'PATCH',
      },
    }),
    acceptsCsv: row.takes === 'body' && requestBody?.content['text/csv'] !== undefined,
    answer: readAnswer(reader, row, described),
    isPublic,
    isKeyed: method === 'POST' && !isPublic,
    summary,
    description,
    ...(row.takes === 'body' && { example: requestBody?.content['application/json'].example }),
  }
}

function readAnswer(reader: Reader, { gives }: Operation, described: Described): Answer {
  if (gives === 'nothing' || gives === 'csv' || gives === 'pdf') return { kind: gives }
  const id = toPascal(described.operationId)
  const data = dataOf(described)
  if (gives === 'data')
    return { kind: 'item', type: reader.readType(data, placeOf(`${id}Answer`)).type }
  const { type } = reader.readType(data.properties!.items!.items!, placeOf(`${id}Item`))
  return { kind: gives === 'pages' ? 'page' : 'list', item: type }
}

function placeOf(name: string): Place {
  return { address: name, name }
}

/** What a type is called while its name is open: other places may share it. */
type Draft = { places: Place[]; name: string }
type EnumDraft = Draft & { values: string[] }
type ModelDraft = Draft & Omit<Model, 'name'>

/**
 * Objects and enums without a name get one from their place: `Payment` and `sender` make
 * `PaymentSender`. The same shape at several places is one type, named in shared-names.ts or after
 * the place with the shortest name.
 */
class Reader {
  private readonly models = new Map<string, ModelDraft>()
  private readonly enums = new Map<string, EnumDraft>()

  constructor(readonly document: Document) {}

  addModel(name: string, schema: Schema, description = schema.description ?? ''): void {
    const key = `named ${name}`
    if (this.models.has(key)) return
    const isInput = /(Input|Query)$/.test(name) || schema.additionalProperties === false
    const draft: ModelDraft = { places: [], name, description, isInput, fields: [] }
    this.models.set(key, draft)
    draft.fields = this.readFields(name, schema)
  }

  readFields(address: string, given: Schema, name = address): Field[] {
    const schema = this.merge(given)
    return Object.entries(schema.properties ?? {}).map(([field, inner]) => {
      const place = { address: `${address}.${field}`, name: name + toPascal(field) }
      const example = inner.examples?.[0]
      return {
        name: field,
        ...this.readType(inner, place),
        isOptional: !schema.required?.includes(field),
        description: inner.description ?? choicesOf(inner)[0]!.description ?? '',
        ...(example !== undefined && { example }),
      }
    })
  }

  readType(schema: Schema, place: Place): { type: Type; isNullable: boolean } {
    const choices = choicesOf(schema)
    const others = choices.filter(({ type }) => type !== 'null')
    return { type: this.readChoices(others, place), isNullable: others.length < choices.length }
  }

  /** Every draft with its final name, in the order of names. */
  finish(): { models: Model[]; enums: Enum[] } {
    const used = new Set<string>()
    const unused = new Set(Object.keys(sharedNames))
    for (const draft of [...this.models.values(), ...this.enums.values()]) {
      const given = draft.places.find(({ address }) => address in sharedNames)?.address
      if (given) unused.delete(given)
      const shortest = [...draft.places].sort(
        (a, b) => a.name.length - b.name.length || a.name.localeCompare(b.name),
      )[0]
      draft.name = given ? sharedNames[given]! : (shortest?.name ?? draft.name)
      if (used.has(draft.name)) throw new Error(`Two types are called ${draft.name}.`)
      used.add(draft.name)
    }
    if (unused.size > 0) throw new Error(`No such place: ${[...unused].join(', ')}`)
    const byName = (a: Draft, b: Draft) => (a.name < b.name ? -1 : 1)
    return {
      models: [...this.models.values()]
        .sort(byName)
        .map(({ name, description, fields, isInput }) => ({ name, description, fields, isInput })),
      enums: [...this.enums.values()].sort(byName).map(({ name, values }) => ({ name, values })),
    }
  }

  private readChoices(choices: Schema[], place: Place): Type {
    const [first] = choices
    if (first === undefined) return { kind: 'any' }
    const values = choices.flatMap(valuesOf)
    if (values.length > 0) return this.readValues([...new Set(values)], place)
    const kinds = [...new Set(choices.map(({ type, $ref }) => ($ref ? 'object' : type)))]
    if (kinds.join() === 'integer,string')
      return { kind: choices.some((choice) => choice['x-unit']) ? 'amount' : 'count' }
    if (kinds.length > 1) throw new Error(`No type for ${place.address}: ${kinds}`)
    const [kind] = kinds
    if (kind === 'object') return this.readObject(choices, place)
    if (kind === 'array') return { kind: 'list', items: this.readItems(first, place) }
    if (kind === 'string' || kind === 'integer' || kind === 'number' || kind === 'boolean')
      return { kind }
    throw new Error(`No type for ${place.address}: ${JSON.stringify(first)}`)
  }

  private readItems({ items = {} }: Schema, { address, name }: Place): Type {
    if (Object.keys(items).length === 0) return { kind: 'any' }
    const place = { address: `${address}[]`, name: toSingular(name) }
    const { type, isNullable } = this.readType(items, place)
    if (isNullable) throw new Error(`${address} has items that are null.`)
    return type
  }

  private readValues(values: string[], place: Place): Type {
    const [value] = values
    if (values.length === 1) return { kind: 'const', value: value! }
    const draft = remember(this.enums, [...values].sort().join(), place, () => ({ values }))
    return referTo('enum', draft)
  }

  private readObject(choices: Schema[], place: Place): Type {
    const [first] = choices
    if (choices.length === 1 && first!.$ref) return { kind: 'model', name: nameOf(first!.$ref) }
    const schema = this.merge(choices.length === 1 ? first! : { anyOf: choices })
    const fields = Object.keys(schema.properties ?? {})
    if (fields.length === 0) return { kind: 'object' }
    const isInput = schema.additionalProperties === false
    const key = `${isInput} ${JSON.stringify(toShape(schema))}`
    const draft = remember(this.models, key, place, () => ({
      description: schema.description ?? '',
      isInput,
      fields: [] as Field[],
    }))
    // Also for a known shape: its inner objects and enums are used here, too.
    const inner = this.readFields(place.address, schema, place.name)
    if (draft.fields.length === 0) draft.fields = inner
    return referTo('model', draft)
  }

  /** One of several objects is one object: a field that not all of them have is optional. */
  private merge(schema: Schema): Schema {
    const parts = schema.anyOf ?? schema.oneOf
    if (schema.$ref) return this.merge(this.document.components.schemas[nameOf(schema.$ref)]!)
    if (!parts) return schema
    const objects = parts.map((part) => this.merge(part))
    const names = [...new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))]
    const properties = names.map((name): [string, Schema] => {
      const found = objects.flatMap(({ properties }) => properties?.[name] ?? [])
      return [name, mergeFields(found)]
    })
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: names.filter((name) => objects.every(({ required }) => required?.includes(name))),
      additionalProperties: objects[0]!.additionalProperties ?? true,
      description: schema.description ?? '',
    }
  }
}

function mergeFields(found: Schema[]): Schema {
  const [first] = found
  const shapes = new Set(found.map((schema) => JSON.stringify(toShape(schema))))
  if (shapes.size === 1) return first!
  if (found.every(({ type }) => type === 'array'))
    return { ...first!, items: mergeFields(found.map(({ items }) => items!)) }
  const description = [...new Set(found.flatMap(({ description }) => description ?? []))].join(
    ' Or: ',
  )
  return { anyOf: found.flatMap(choicesOf), description, examples: first!.examples ?? [] }
}

/** Finds the draft of a shape, or adds it, and notes one more place. */
function remember<Item extends Draft>(
  drafts: Map<string, Item>,
  key: string,
  place: Place,
  create: () => Omit<Item, keyof Draft>,
): Item {
  const draft = drafts.get(key) ?? ({ ...create(), places: [], name: place.name } as Draft as Item)
  drafts.set(key, draft)
  draft.places.push(place)
  return draft
}

/** Its name is known at the end, so the reference reads it when an emitter asks. */
function referTo(kind: 'enum' | 'model', draft: Draft): Type {
  return {
    kind,
    get name() {
      return draft.name
    },
  }
}

function choicesOf(schema: Schema): Schema[] {
  const choices = schema.anyOf ?? schema.oneOf
  return choices ? choices.flatMap(choicesOf) : [schema]
}

function valuesOf(schema: Schema): string[] {
  const values = 'const' in schema ? [schema.const] : (schema.enum ?? [])
  return values.filter((value) => typeof value === 'string')
}

const shapeKeys = ['$ref', 'type', 'const', 'enum', 'anyOf', 'oneOf', 'required', 'x-unit']

/** What makes two objects the same type: not their descriptions, examples and limits. */
function toShape(schema: Schema): unknown {
  const { properties, items } = schema
  const kept = Object.entries(schema).filter(([key]) => shapeKeys.includes(key))
  const inner = (choices: unknown) =>
    Array.isArray(choices) && typeof choices[0] === 'object' ? choices.map(toShape) : choices
  return {
    ...Object.fromEntries(kept.map(([key, value]) => [key, inner(value)])),
    ...(items && { items: toShape(items) }),
    ...(properties && {
      properties: Object.entries(properties).map(([name, field]) => [name, toShape(field)]),
    }),
  }
}

function toPascal(name: string): string {
  const words = name.split(/[_.-]/).filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function toSingular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  return /[^s]s$/.test(name) ? name.slice(0, -1) : `${name}Item`
}
