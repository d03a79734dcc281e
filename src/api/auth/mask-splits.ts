import type { FastifyRequest } from 'fastify'
import { seenWith } from '../../team/seen-with.js'

/** Fields of payments, refunds, accounts, wallets and sessions that say what sellers get. */
const splitFields = new Set(['shares', 'splits'])
/** JSON in JSON: what was delivered to a webhook, and what the request log keeps. */
const documents = new Set(['payload', 'body', 'requestBody', 'responseBody'])
const anySplitField = /\\?"(?:shares|splits)\\?"/

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/**
 * Leaves out how payments are split, for callers who may not see sub-accounts. It works on field
 * names, so that no route can forget it.
 */
export function maskSplits(body: string): string {
  return anySplitField.test(body) ? JSON.stringify(maskValue(JSON.parse(body) as Json)) : body
}

function maskValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(maskValue)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value)
    .filter(([name]) => !splitFields.has(name))
    .map(([name, field]): [string, Json] => [
      name,
      documents.has(name) && typeof field === 'string' ? maskDocument(field) : maskValue(field),
    ])
  return Object.fromEntries(entries)
}

function maskDocument(text: string): string {
  try {
    return maskSplits(text)
  } catch {
    // Not JSON, or the start of it: the request log cuts long bodies.
    return text.slice(0, text.search(anySplitField))
  }
}

export function hidesSplits({ caller }: Pick<FastifyRequest, 'caller'>): boolean {
  if (caller === undefined || caller.kind === 'public' || caller.permissions === null) return false
  return !caller.permissions.has(seenWith.split)
}
