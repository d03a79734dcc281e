import Type from 'typebox'
import { fromReference, prefixes } from '../../base/ids.js'
import { getEnvironment } from '../../merchants/environments.js'
import { readKycDocument } from '../../merchants/kyc/kyc-documents.js'
import {
  decideKyc,
  getKyc,
  type KycOutcome,
  listKycSubmissions,
} from '../../merchants/kyc/kyc-submissions.js'
import { auditOperator } from '../../operations/actions/audit-operator.js'
import { closed, inPath } from '../parse/schemas.js'
import type { Route } from '../server/route.js'
import { route } from '../server/route.js'
import { oneMerchant, readMerchantId } from './merchants.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorOf, operatorRoute } from './operator-route.js'

const noteText = Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 }))

/** KYC that merchants submitted. */
export function kycRoutes({ db, seal }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/kyc',
    operation: 'listKyc',
    summary: 'KYC to review',
    query: closed({ state: Type.Optional(Type.Enum(['waiting', 'decided'])) }),
    async handle({ query }) {
      const statuses =
        query.state === 'decided'
          ? (['MORE_NEEDED', 'REJECTED', 'APPROVED'] as const)
          : (['SUBMITTED'] as const)
      const items = await listKycSubmissions(db, { statuses: [...statuses] })
      return { items: items.map(({ merchantId: _, ...item }) => item) }
    },
  })
  const one = operatorRoute({
    method: 'GET',
    path: '/kyc/:id',
    operation: 'getKyc',
    summary: 'KYC of a merchant',
    params: oneMerchant,
    async handle({ params }) {
      const { merchantId } = await getEnvironment(db, { merchant: params.id, mode: 'live' })
      const kyc = await getKyc(db, seal, merchantId)
      const { merchantId: _, environmentId: __, documents, ...shown } = kyc
      return {
        ...shown,
        merchant: params.id,
        documents: documents.map(({ id: _, ...document }) => document),
      }
    },
  })
  const decision = (outcome: KycOutcome, summary: string) =>
    operatorRoute({
      method: 'POST',
      path: `/kyc/:id/${outcome}`,
      operation: `${outcome}Kyc`,
      summary,
      stepUp: 'always',
      params: oneMerchant,
      body: closed({ note: noteText }),
      async handle(request) {
        const operator = operatorOf(request)
        const name = { merchant: request.params.id, mode: 'live' } as const
        const { merchantId } = await getEnvironment(db, name)
        const note = request.body.note ?? null
        const decidedBy = request.actor.kind === 'user' ? request.actor.name : operator.email
        return db.transaction(async (tx) => {
          const decided = await decideKyc(tx, request.now, {
            merchantId,
            outcome,
            note,
            decidedBy,
          })
          const { environmentId, before, after } = decided
          auditOperator(tx, request.now, operator, {
            action: `kyc.${outcome}`,
            merchantId,
            environmentId,
            details: { mode: 'live', before, after, note },
            shown: { before, after, note },
          })
          return { merchant: request.params.id, status: after }
        })
      },
    })
  return [
    list,
    one,
    documentRoute({ db, seal }),
    decision('approve', 'Approve KYC'),
    decision('ask', 'Ask for more'),
    decision('reject', 'Reject KYC'),
  ]
}

/** The file itself, as an attachment: a browser must never run what a merchant uploaded. */
function documentRoute({ db, seal }: Pick<OperatorParts, 'db' | 'seal'>): Route {
  return route({
    method: 'GET',
    path: '/operator/v1/kyc/:id/documents/:document',
    access: 'operator',
    operation: 'readKycDocument',
    summary: 'Document of a merchant',
    description: 'Document of a merchant.',
    tag: 'Console',
    hidesBodies: true,
    params: Type.Object({ ...oneMerchant.properties, ...inPath('document', 'doc_…').properties }),
    answers: { 200: Type.Any() },
    async handle(request) {
      const merchantId = readMerchantId(request.params.id)
      const id = fromReference(prefixes.kycDocument, request.params.document)
      const document = await readKycDocument(db, seal, { merchantId, id })
      const { kind, name, reference } = document
      await db.transaction(async (tx) =>
        auditOperator(tx, request.now, operatorOf(request), {
          action: 'kyc.read_document',
          merchantId,
          details: { document: reference, kind, name },
          shown: { document: reference, kind, name },
        }),
      )
      const file = encodeURIComponent(name)
      return {
        status: 200,
        body: document.content,
        contentType: document.contentType,
        headers: {
          'content-disposition': `attachment; filename*=UTF-8''${file}`,
          'content-security-policy': "default-src 'none'; sandbox",
        },
      }
    },
  })
}
