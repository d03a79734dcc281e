import { newIdBytes } from '../base/ids.js'
import { redact } from '../base/log.js'
import { copyStatement } from '../postgres/copy-rows.js'
import type { Tx } from '../postgres/tx.js'
import type { RawEntry } from './entry.js'
import { redactBody, redactQuery } from './redact-body.js'
import { redactText } from './redact-text.js'

const columns = {
  environment_id: 'int4',
  id: 'uuid',
  request_id: 'text',
  key_name: 'text',
  method: 'text',
  path: 'text',
  query: 'text',
  status: 'int2',
  duration_us: 'int4',
  is_replayed: 'bool',
  request_body: 'text',
  is_request_cut: 'bool',
  response_body: 'text',
  is_response_cut: 'bool',
} as const

const copyEntries = copyStatement({ table: 'request_logs', columns })

export function storeEntries(tx: Tx, entries: RawEntry[]): void {
  tx.copy(copyEntries(entries.map(toRow)))
}

const longestUs = 2_147_483_647

function toRow(entry: RawEntry) {
  const [path = '', ...query] = entry.url.split('?')
  const request = redactBody(entry.requestBody)
  const response = redactBody(entry.responseBody)
  return {
    environment_id: entry.environmentId,
    id: newIdBytes(entry.answeredAt),
    // A caller's own id is of any kind.
    request_id: redact(entry.requestId),
    key_name: entry.keyName,
    method: entry.method,
    path: redactText(path),
    query: redactQuery(query.join('?')),
    status: entry.status,
    duration_us: Math.min(Math.round(entry.durationMs * 1_000), longestUs),
    is_replayed: entry.isReplayed,
    request_body: request.text,
    is_request_cut: request.isCut,
    response_body: response.text,
    is_response_cut: response.isCut,
  }
}
