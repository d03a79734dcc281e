import { randomUUID } from 'node:crypto'
import { ManillaError } from '../../src/errors.js'
import type { Connection } from '../../src/options.js'
import { send } from '../../src/send.js'
import type { OpenApi } from './document.js'
import { markUntrusted, untrusted } from './mark-untrusted.js'
import type { Tool } from './offered-tools.js'
import { resultLengthMax, shorten } from './shorten.js'

type Arguments = Record<string, unknown>

/** What an agent reads of a call: the same as text and as structure. */
export type ToolResult = {
  content: [{ type: 'text'; text: string }]
  structuredContent: Record<string, unknown>
  isError: boolean
}

/** Lists without a `limit` show so many items. */
const limitDefault = 20

export async function callTool(
  connection: Connection,
  document: OpenApi,
  tool: Tool,
  { args, signal }: { args: Arguments; signal: AbortSignal },
): Promise<ToolResult> {
  const problem = findProblem(tool, args)
  if (problem !== undefined) return failed({ code: 'validation_failed', nextStep: problem })
  const { operation } = tool
  const idempotencyKey = tool.isWrite ? String(args.idempotencyKey ?? randomUUID()) : undefined
  try {
    const { data } = await send(connection, {
      operation,
      path: toPath(tool, args),
      ...(args.body !== undefined && { body: args.body }),
      options: { signal, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    })
    return succeeded(tool, markUntrusted(data, tool.dataSchema, document))
  } catch (error) {
    if (!(error instanceof ManillaError)) throw error
    return refused(error, idempotencyKey)
  }
}

function findProblem({ name, inputSchema, parameters }: Tool, args: Arguments): string | undefined {
  const { properties = {}, required = [] } = inputSchema
  const unknown = Object.keys(args).filter((field) => !Object.hasOwn(properties, field))
  const missing = required.filter((field) => args[field] === undefined || args[field] === '')
  if (unknown.length > 0) return `${name} takes no ${unknown.map(quote).join(', ')}.`
  if (missing.length > 0) return `${name} needs ${missing.join(', ')}.`
  // A URL would resolve these to the path of another operation.
  const climbing = parameters.path.find((field) => /^\.{1,2}$/.test(String(args[field])))
  if (climbing !== undefined) return `${climbing} is not a reference.`
  return undefined
}

const quote = (field: string) => JSON.stringify(field.slice(0, 50))

function toPath({ operation, parameters }: Tool, args: Arguments): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(String(args[name])),
  )
  const query = new URLSearchParams()
  if (parameters.query.includes('cursor')) query.set('limit', String(limitDefault))
  for (const name of parameters.query)
    if (args[name] !== undefined) query.set(name, String(args[name]))
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

function succeeded(tool: Tool, marked: unknown): ToolResult {
  const shortened = shorten(marked)
  if (!shortened)
    return failed({
      code: 'too_long',
      nextStep: `The answer is longer than ${resultLengthMax} characters. Read a part of it with a more specific tool.`,
    })
  const { data, leftOut } = shortened
  if (leftOut.length === 0) return toResult({ data })
  return toResult({ data, leftOut, hint: describeNarrowing(tool) })
}

/** How to ask for less. */
function describeNarrowing({ parameters: { query } }: Tool): string {
  const filters = query.filter((name) => name !== 'cursor' && name !== 'limit')
  const ways = [
    ...(filters.length > 0 ? [`Narrow it with ${filters.join(', ')}.`] : []),
    ...(query.includes('limit') ? ['Send a smaller limit and follow nextCursor.'] : []),
  ]
  return `The answer was too long, so the end of some lists was left out. ${ways.join(' ') || 'Read the parts with more specific tools.'}`
}

/** The message may quote names and other text of payers; code, reason and next step do not. */
function refused(error: ManillaError, idempotencyKey: string | undefined): ToolResult {
  const { code, reason, status, message, details, nextStep, requestId } = error
  return failed({
    code,
    ...(reason !== undefined && { reason }),
    ...(status !== undefined && { status }),
    message: untrusted(message),
    ...(details.length > 0 && {
      details: details.map(({ field, issue }) => untrusted(`${field} ${issue}`)),
    }),
    ...(nextStep !== undefined && { nextStep }),
    ...(requestId !== undefined && { requestId }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
}

export function failed(error: Record<string, unknown>): ToolResult {
  return { ...toResult({ error }), isError: true }
}

function toResult(structuredContent: Record<string, unknown>): ToolResult {
  const text = JSON.stringify(structuredContent)
  return { content: [{ type: 'text', text }], structuredContent, isError: false }
}
