import Type from 'typebox'
import { lineListOf, type WrittenAuditLine } from '../../../audit/find-lines.js'
import { auditLimits } from '../../../audit/limits.js'
import { getChainState, storeVerification } from '../../../audit/store-verifications.js'
import { type ChainVerdict, verifyChain } from '../../../audit/verify-chain.js'
import type { Clock } from '../../../base/clock.js'
import type { Environment } from '../../../base/environment.js'
import { fromReference, prefixes, toReference, unusedId } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { orNull, reference, resource, text, time, timestamp } from '../../../base/shapes.js'
import type { Database } from '../../../postgres/database.js'
import { readList } from '../../../postgres/lists/find-ids.js'
import type { Actor } from '../../../team/actor.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { plainText, timeFilters } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

export const auditLine = resource('AuditLine', {
  id: reference(prefixes.auditLine, 'Identifies the line.'),
  number: Type.Integer({ description: 'Number in the chain, without gaps.', examples: [12] }),
  actor: text('ada@example.com', 'Who did it: an e-mail address or a name.'),
  actorName: orNull(text('Ada Obi'), 'Name of the user.'),
  userId: orNull(reference(prefixes.user), 'The user.'),
  action: text('bank_transfer.create', 'What was done.'),
  mode: orNull(Type.Enum(['test', 'live']), 'Null if it concerns both modes.'),
  details: Type.Object({}, { additionalProperties: true }),
  address: orNull(text('203.0.113.7'), 'IP address of the user.'),
  sessionId: orNull(reference(prefixes.userSession), 'The session of the user.'),
  requestId: orNull(text('req_8f3a5c0d9e1b7a46000042'), 'The request.'),
  hash: text('9f86d081884c7d65…', 'SHA-256 of this line and the one before.'),
  createdAt: timestamp('When it was done.'),
})

export const lineFilters = {
  actor: Type.Optional(
    Type.String({
      maxLength: auditLimits.actionLengthMax,
      pattern: plainText,
      description: 'Only lines of this user.',
    }),
  ),
  action: Type.Optional(
    Type.String({
      maxLength: auditLimits.actionLengthMax,
      pattern: plainText,
      description: 'Only lines of this action, such as `bank_transfer.create`.',
    }),
  ),
  ...timeFilters,
}

export const chainState = resource('ChainState', {
  number: Type.Integer({ description: 'Number of the newest line.', examples: [12] }),
  hash: text('9f86d081884c7d65…', 'Hash of the newest line.'),
  verifiedAt: orNull(time, 'When the chain was last verified on request.'),
  fault: orNull(text('line 3 was edited'), 'What was wrong then.'),
})

export const verdict = resource('ChainVerdict', {
  lines: Type.Integer({ description: 'Lines that were checked.', examples: [12] }),
  isWhole: Type.Boolean({ description: 'Whether these are all lines.', examples: [true] }),
  fault: orNull(text('line 3 was edited'), 'The first fault.'),
  verifiedAt: time,
})

const base = { access: 'user', tag: 'Console', hidesBodies: true } as const

export function auditLineRoutes(api: ApiParts): Route[] {
  return [list(api), readHead(api), verify(api)]
}

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path: '/v1/audit-lines',
    permission: 'audit.own',
    operation: 'listAuditLines',
    summary: 'List audit lines',
    description:
      'What users did, newest first: in this mode, and what concerns both modes. Without the permission `audit.see`, only what the caller did.',
    title: 'Audit lines',
    filters: lineFilters,
    item: auditLine,
    columns: csvColumns(...Object.keys(auditLine.properties)),
    cursor: cursorOf(prefixes.auditLine),
    toFilter: ({ query, actor }) => ({
      userId: readUser(query.actor, actor),
      action: query.action,
      ...readTimeRange(query),
    }),
    rows(db, { environment: { merchantId, id: environmentId } }, filter, page) {
      const list = lineListOf({ merchantId, environmentId })
      return readList(db, list, { environmentId, filter }, page)
    },
    show: (line, { environment }) => toJson(showLine(line, environment)),
  })

const readHead = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/audit-lines/head',
    permission: 'audit.own',
    operation: 'getAuditHead',
    summary: 'Retrieve the head of the audit log',
    description: 'Write it down to prove later that no line before it was changed.',
    answers: { 200: chainState },
    async handle({ environment }) {
      return success(200, 'Audit head', await readState(db, environment.merchantId))
    },
  })

const verify = ({ db, clock }: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: '/v1/audit-lines/verify',
    permission: 'audit.see',
    isRead: true,
    isHeavy: true,
    operation: 'verifyAuditLines',
    summary: 'Verify the audit log',
    description: `Recomputes the hashes of the newest ${auditLimits.linesVerifiedMax.toLocaleString('en')} lines.`,
    answers: { 200: verdict },
    async handle({ environment }) {
      return success(
        200,
        'Audit log verified',
        await verifyNow({ db, clock }, environment.merchantId),
      )
    },
  })

export async function readState(db: Database, chain: string) {
  const { number, hash, verifiedAt, fault } = await getChainState(db, chain)
  return { number: Number(number), hash: hash.toString('hex'), verifiedAt, fault }
}

/** Verifies the newest lines of a chain and notes the result. */
export async function verifyNow({ db, clock }: { db: Database; clock: Clock }, chain: string) {
  const { linesVerifiedMax } = auditLimits
  const verdict: ChainVerdict = await verifyChain(db, chain, { newest: linesVerifiedMax })
  const verifiedAt = clock.now()
  await db.transaction(async (tx) => storeVerification(tx, verifiedAt, verdict))
  const { lines, isWhole, faults } = verdict
  return { lines, isWhole, fault: faults[0]?.message ?? null, verifiedAt }
}

/** Whose lines the caller may see and wants. An unknown user has none. */
function readUser(wanted: string | undefined, actor: Actor): string | undefined {
  const ownId = actor.kind === 'user' ? actor.userId : unusedId
  const maySeeAll = actor.kind === 'user' && actor.permissions.has('audit.see')
  if (wanted === undefined) return maySeeAll ? undefined : ownId
  const wantedId = fromReference(prefixes.user, wanted) ?? unusedId
  return maySeeAll || wantedId === ownId ? wantedId : unusedId
}

export function showLine(line: WrittenAuditLine, environment?: Environment) {
  const { userId, sessionId } = line
  return {
    id: toReference(prefixes.auditLine, line.id),
    number: Number(line.number),
    actor: line.actor,
    actorName: line.actorName,
    userId: userId && toReference(prefixes.user, userId),
    action: line.action,
    mode: environment && line.environmentId === environment.id ? environment.mode : null,
    details: line.details,
    address: line.address,
    sessionId: sessionId && toReference(prefixes.userSession, sessionId),
    requestId: line.requestId,
    hash: line.hash.toString('hex'),
    createdAt: line.createdAt.toISOString(),
  }
}
