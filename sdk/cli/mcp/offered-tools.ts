import type { Operation } from '../../src/operations.js'
import { type DescribedOperation, dataOf, type OpenApi, resolve, type Schema } from './document.js'

/** What the service knows of the key: the answer of `GET /v1/api-key`. */
export type KnownKey = {
  kind: 'secret' | 'public'
  mode: 'test' | 'live'
  permissions: string[] | null
  payoutsWaitForApproval: boolean
}

/** An operation of the API that an agent may call. */
export type Tool = {
  name: string
  title: string
  description: string
  isWrite: boolean
  permissions: string[]
  inputSchema: Schema
  operation: Operation
  /** Names of its parameters, by where they are sent. */
  parameters: { path: string[]; query: string[] }
  dataSchema: Schema
}

/**
 * The operations that change something and are offered with `--allow-writes`. Payouts and refunds
 * among them wait for a member; the others move no money. Everything else is left out, also if the
 * key may do it: keys, the team, approvals, freezes, settings, recipients, sub-accounts, webhooks,
 * claims, whose link is a secret, and what cannot be undone. See decision 0045.
 */
export const offeredWrites: ReadonlySet<string> = new Set([
  'createBankTransfer',
  'createCryptoTransfer',
  'createPayoutBatch',
  'submitPayoutBatch',
  'refundPayment',
  'createVirtualAccount',
  'requeryVirtualAccount',
  'requeryCryptoWallet',
  'requeryDedicatedCryptoWallet',
  'createCheckoutSession',
  'createPaymentLink',
  'createCustomer',
  'createInvoice',
  'changeInvoice',
  'createCase',
  'changeCase',
  'addCaseItems',
])

/** Operations with POST that change nothing. */
const readsWithPost: ReadonlySet<string> = new Set([
  'quoteBankTransfer',
  'quoteCryptoTransfer',
  'previewSplit',
])

/** Not for agents: their answers hold links that are secrets, or all that is known of a person. */
const hiddenReads: ReadonlySet<string> = new Set(['listMails', 'getMail', 'exportCustomer'])

/** Every tool, whatever the key may do. */
export function readTools(document: OpenApi): Tool[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) => {
      const tool = readTool(document, { path, method: method.toUpperCase(), described })
      return tool ? [tool] : []
    }),
  )
}

/** The tools that this key has the permissions for. */
export function offerTools(
  tools: Tool[],
  key: KnownKey,
  { allowsWrites }: { allowsWrites: boolean },
): Tool[] {
  const may = (permission: string) => key.permissions?.includes(permission) ?? true
  if (key.kind === 'public') return []
  return tools.filter(
    ({ isWrite, permissions }) =>
      permissions.every(may) && (!isWrite || (allowsWrites && key.payoutsWaitForApproval)),
  )
}

type Place = { path: string; method: string; described: DescribedOperation }

function readTool(document: OpenApi, { path, method, described }: Place): Tool | undefined {
  const { operationId: id, summary, description, 'x-permissions': permissions } = described
  const isRead = (method === 'GET' && !hiddenReads.has(id)) || readsWithPost.has(id)
  const isWrite = offeredWrites.has(id)
  const dataSchema = dataOf(described, document)
  if (!permissions || !dataSchema || !(isRead || isWrite)) return undefined
  const { parameters = [], requestBody } = described
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  // Only lists as CSV take `excel`.
  const inQuery = parameters.filter(({ in: where, name }) => where === 'query' && name !== 'excel')
  const body = requestBody?.content?.['application/json']?.schema
  const given = [...inPath, ...inQuery]
  const properties: Record<string, Schema> = Object.fromEntries(
    given.map(({ name, description, schema }) => [
      name,
      toInput({ ...schema, ...(description !== undefined && { description }) }, document),
    ]),
  )
  const required = given.filter((parameter) => parameter.required).map(({ name }) => name)
  if (body) {
    properties.body = toInput(body, document)
    if (requestBody.required !== false) required.push('body')
  }
  if (isWrite)
    properties.idempotencyKey = {
      type: 'string',
      description:
        'A new value for each thing that you want done. Send the same value to repeat a call whose result you did not get: it then runs once.',
    }
  return {
    name: toToolName(id),
    title: summary,
    description: isWrite ? `${description} ${describeWrite(id)}`.trim() : description,
    isWrite,
    permissions,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    operation: {
      method: method as Operation['method'],
      path,
      takes: body ? 'body' : 'query',
      gives: 'data',
      isPublic: false,
    },
    parameters: { path: inPath.map(({ name }) => name), query: inQuery.map(({ name }) => name) },
    dataSchema,
  }
}

const makePayouts: ReadonlySet<string> = new Set([
  'createBankTransfer',
  'createCryptoTransfer',
  'submitPayoutBatch',
  'refundPayment',
])

function describeWrite(id: string): string {
  return makePayouts.has(id)
    ? 'Here it is only proposed: nothing is sent before a member of the team approves it in the console.'
    : ''
}

/** `listPayments` becomes `list_payments`. */
function toToolName(operationId: string): string {
  return operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Patterns of times are longer than what they say; the description says it, too. */
const patternLengthMax = 80
const keptKeywords = [
  ...['type', 'enum', 'const', 'description', 'format', 'required', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'default'],
]

/** A schema without references, and without what only people read. */
function toInput(schema: Schema, document: OpenApi): Schema {
  const found = {
    ...resolve(schema, document),
    ...(schema.description && { description: schema.description }),
  }
  const isKept = ([keyword]: [string, unknown]) => keptKeywords.includes(keyword)
  const input: Schema = Object.fromEntries(Object.entries(found).filter(isKept))
  if (found.pattern && found.pattern.length <= patternLengthMax) input.pattern = found.pattern
  if (found.properties)
    input.properties = Object.fromEntries(
      Object.entries(found.properties).map(([name, field]) => [name, toInput(field, document)]),
    )
  if (found.items) input.items = toInput(found.items, document)
  for (const name of ['anyOf', 'oneOf', 'allOf'] as const)
    if (found[name]) input[name] = found[name].map((variant) => toInput(variant, document))
  if (typeof found.additionalProperties === 'boolean')
    input.additionalProperties = found.additionalProperties
  return input
}
