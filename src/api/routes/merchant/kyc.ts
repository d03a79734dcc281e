import Type from 'typebox'
import { fromReference, prefixes } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import { referenceSample } from '../../../base/shapes.js'
import {
  addKycDocument,
  fileTypeOf,
  fileTypes,
  type KycDocument,
  readKycDocument,
  removeKycDocument,
} from '../../../merchants/kyc/kyc-documents.js'
import { documentKinds, findMissing, KycForm } from '../../../merchants/kyc/kyc-form.js'
import {
  beginDraft,
  getKyc,
  isKycEditable,
  type Kyc,
  lockEditableKyc,
  saveKyc,
  submitKyc,
} from '../../../merchants/kyc/kyc-submissions.js'
import { kycLimits } from '../../../merchants/limits.js'
import { visible } from '../../../merchants/settings/settings-document.js'
import { auditCall } from '../../auth/audit-call.js'
import { closed, inPath } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

const path = '/v1/kyc'
const params = inPath('id', referenceSample(prefixes.kycDocument))
const base = {
  access: 'user',
  tag: 'Console',
  answers: {},
  // It has names and identity numbers of the owners.
  hidesBodies: true,
} as const

/** What the merchant states about its business. It is the same in both modes. */
export function kycRoutes(api: ApiParts): Route[] {
  return [
    read(api),
    save(api),
    submit(api),
    uploadDocument(api),
    downloadDocument(api),
    removeDocument(api),
  ]
}

const read = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    permission: 'business.see',
    operation: 'getKyc',
    summary: 'Retrieve KYC',
    description: 'Returns status, form, documents, and what the operator wrote.',
    handle: (request) => answerKyc(api, request, 'KYC'),
  })

const save = (api: ApiParts) =>
  route({
    ...base,
    method: 'PATCH',
    path,
    permission: 'business.change',
    operation: 'saveKyc',
    summary: 'Save KYC',
    description: 'Replaces the form. It may be incomplete until it is submitted.',
    body: closed({ form: KycForm }),
    async handle(request) {
      const { environment, body } = request
      const { merchantId } = environment
      const { realNow: now } = request
      await api.db.transaction(async (tx) => {
        await saveKyc(tx, now, { merchantId, seal: api.seal, form: body.form })
        auditCall(tx, request.audited, {})
      })
      return answerKyc(api, request, 'KYC saved')
    },
  })

const submit = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/submit`,
    permission: 'business.change',
    stepUp: 'always',
    operation: 'submitKyc',
    summary: 'Submit KYC',
    description: 'Hands the form and its documents to the operator.',
    handle(request) {
      const { merchantId } = request.environment
      return api.change(
        request,
        async (tx, now) => {
          await submitKyc(tx, now, { merchantId, seal: api.seal })
          return { status: 'SUBMITTED' }
        },
        (submitted) => success(200, 'KYC submitted', submitted),
      )
    },
  })

const uploadDocument = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/documents`,
    permission: 'business.change',
    fileBytesMax: kycLimits.documentBytesMax,
    operation: 'uploadKycDocument',
    summary: 'Upload a document',
    description: 'The body is the file: PDF, PNG or JPEG.',
    query: closed({
      kind: Type.Enum([...documentKinds], { type: 'string' }),
      name: Type.String({ minLength: 1, maxLength: limits.names.length, ...visible }),
    }),
    body: Type.Unsafe<Buffer>(Type.Any()),
    async handle(request) {
      const { environment, body, query } = request
      const { merchantId } = environment
      const contentType = Buffer.isBuffer(body) ? fileTypeOf(body) : undefined
      if (!contentType)
        throw new Refusal('validation_failed', {
          reason: 'unsupported_media_type',
          message: `The file must be one of ${fileTypes.join(', ')}.`,
        })
      const { realNow: now } = request
      const sealed = api.seal.sealBytes(body)
      const document = await api.db.transaction(async (tx) => {
        const state = await lockEditableKyc(tx, merchantId)
        beginDraft(tx, state)
        const added = await addKycDocument(tx, now, {
          merchantId,
          kind: query.kind,
          name: query.name,
          contentType,
          sealed,
          sizeBytes: body.length,
        })
        auditCall(tx, request.audited, detailsOf(added))
        return added
      })
      return success(201, 'Document stored', showDocument(document))
    },
  })

const downloadDocument = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/documents/:id`,
    permission: 'business.see',
    stepUp: 'always',
    isPage: true,
    operation: 'getKycDocument',
    summary: 'Download a document',
    description: 'The answer is the file.',
    params,
    async handle(request) {
      const { merchantId } = request.environment
      const document = await api.db.transaction(async (tx) => {
        const opened = await readKycDocument(tx, api.seal, { merchantId, id: idOf(request) })
        auditCall(tx, request.audited, detailsOf(opened))
        return opened
      })
      return toDownload(document)
    },
  })

const removeDocument = (api: ApiParts) =>
  route({
    ...base,
    method: 'DELETE',
    path: `${path}/documents/:id`,
    permission: 'business.change',
    operation: 'deleteKycDocument',
    summary: 'Remove a document',
    description: 'Only while the form can be changed.',
    params,
    async handle(request) {
      const { merchantId } = request.environment
      await api.db.transaction(async (tx) => {
        await lockEditableKyc(tx, merchantId)
        const removed = await removeKycDocument(tx, { merchantId, id: idOf(request) })
        const details = detailsOf(removed)
        auditCall(tx, request.audited, details)
      })
      return answerKyc(api, request, 'Document removed')
    },
  })

/** A file to save, never a page: browsers must not open what a merchant uploaded. */
export function toDownload({ content, contentType, name }: KycDocument & { content: Buffer }) {
  return {
    status: 200,
    body: content,
    contentType,
    headers: {
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      'content-security-policy': "default-src 'none';sandbox",
    },
  }
}

type Request = Pick<RouteRequest<unknown, unknown, unknown>, 'environment' | 'now' | 'actor'>

function idOf({ params }: { params: { id: string } }): string | undefined {
  return fromReference(prefixes.kycDocument, params.id)
}

async function answerKyc(api: ApiParts, { environment, actor }: Request, message: string) {
  const kyc = await getKyc(api.db, api.seal, environment.merchantId)
  const mayChange = actor.kind === 'user' && actor.permissions.has('business.change')
  return success(200, message, showKyc(kyc, mayChange))
}

/** Those who may only read see identity numbers masked. */
function showKyc({ status, form, documents, decisions, ...kyc }: Kyc, mayChange: boolean) {
  const people = form.people.map((person) => ({ ...person, bvn: mask(person.bvn) }))
  return {
    status,
    isEditable: isKycEditable(status) && mayChange,
    form: mayChange ? form : { ...form, people },
    missing: findMissing(form, documents).map(({ field }) => field),
    documents: documents.map(showDocument),
    decisions: decisions.map(({ outcome, note, createdAt }) => ({ outcome, note, createdAt })),
    updatedAt: kyc.updatedAt,
    submittedAt: kyc.submittedAt,
  }
}

function mask(number: string | null): string | null {
  return number && `*******${number.slice(-4)}`
}

function showDocument({ reference, kind, name, contentType, ...document }: KycDocument) {
  const { sizeBytes, createdAt } = document
  return { id: reference, kind, name, contentType, sizeBytes, createdAt }
}

function detailsOf({ reference, kind, name, sizeBytes }: KycDocument) {
  return { document: reference, kind, name, sizeBytes }
}
