import Type from 'typebox'
import { fromReference, prefixes } from '../../base/ids.js'
import { unknownMerchant } from '../../merchants/environments.js'
import { readKycDocument } from '../../merchants/kyc/kyc-documents.js'
import { auditOperator } from '../../operations/changes/audit-operator.js'
import { inPath } from '../parse/schemas.js'
import { type Route, route } from '../server/route.js'
import { operatorOf, type SharedCall } from './operator-route.js'

/** The file itself, as an attachment: a browser must never run what a merchant uploaded. */
export function kycDocumentRoute({ db, seal }: Pick<SharedCall, 'db' | 'seal'>): Route {
  return route({
    method: 'GET',
    path: '/operator/v1/kyc/:merchant/documents/:document',
    access: 'operator',
    operation: 'readKycDocument',
    summary: 'Document of a merchant',
    description: 'Document of a merchant.',
    tag: 'Console',
    hidesBodies: true,
    params: Type.Object({
      ...inPath('merchant', 'mer_…').properties,
      ...inPath('document', 'doc_…').properties,
    }),
    answers: { 200: Type.Any() },
    async handle(request) {
      const { merchant } = request.params
      const merchantId = fromReference(prefixes.merchant, merchant)
      if (!merchantId) throw unknownMerchant(merchant)
      const id = fromReference(prefixes.kycDocument, request.params.document)
      const document = await readKycDocument(db, seal, { merchantId, id })
      const { kind, name, reference } = document
      await db.transaction(async (tx) =>
        auditOperator(tx, request.realNow, operatorOf(request), {
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
