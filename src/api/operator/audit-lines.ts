import { installationChain } from '../../audit/chain.js'
import { listInstallationLines } from '../../audit/find-lines.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { orNull, reference, resource } from '../../base/shapes.js'
import { readTimeRange } from '../parse/read-filters.js'
import { closed, page, pageQuery } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import {
  auditLine,
  chainState,
  lineFilters,
  readState,
  showLine,
  verdict,
  verifyNow,
} from '../routes/merchant/audit-lines.js'
import { anotherList, readCursor, writeCursor } from '../server/cursor.js'
import { success } from '../server/envelope.js'
import { type Route, route } from '../server/route.js'

const base = { access: 'operator', tag: 'Console', hidesBodies: true } as const
const path = '/operator/v1/audit-lines'

/** The log of the installation: what operators did, here and on the command line. */
export function operatorAuditRoutes(api: ApiParts): Route[] {
  return [list(api), readHead(api), verify(api)]
}

const line = resource('InstallationLine', {
  ...auditLine.properties,
  merchant: orNull(reference(prefixes.merchant), 'The merchant it concerns.'),
})

const list = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'listInstallationLines',
    summary: 'List audit lines of the installation',
    description: 'What operators did, newest first. `actor` is an account name or e-mail address.',
    query: closed({ ...lineFilters, ...pageQuery }),
    answers: { 200: page(line) },
    async handle({ query }) {
      const { actor, action, cursor, limit = limits.http.pageSizeDefault } = query
      const filter = { actor, action, from: undefined, to: undefined, ...readTimeRange(query) }
      const before = cursor === undefined ? undefined : readNumber(cursor)
      const { lines, next } = await listInstallationLines(db, filter, { before, limit })
      const items = lines.map((line) => ({
        ...showLine(line),
        merchant: line.merchantId && toReference(prefixes.merchant, line.merchantId),
      }))
      const nextCursor = next === undefined ? null : writeCursor({ beforeLine: `${next}` })
      return success(200, 'Audit lines', { items, nextCursor })
    },
  })

const readHead = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/head`,
    operation: 'getInstallationHead',
    summary: 'Retrieve the head of the audit log',
    description: 'Write it down to prove later that no line before it was changed.',
    answers: { 200: chainState },
    async handle() {
      return success(200, 'Audit head', await readState(db, installationChain))
    },
  })

const verify = ({ db, clock }: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/verify`,
    isRead: true,
    operation: 'verifyInstallationLines',
    summary: 'Verify the audit log',
    description: 'Recomputes the hashes of the newest lines.',
    answers: { 200: verdict },
    async handle() {
      return success(200, 'Audit log verified', await verifyNow({ db, clock }, installationChain))
    },
  })

function readNumber(cursor: string): bigint {
  const { beforeLine } = readCursor(cursor)
  if (beforeLine === undefined || !/^\d{1,18}$/.test(beforeLine)) throw anotherList()
  return BigInt(beforeLine)
}
