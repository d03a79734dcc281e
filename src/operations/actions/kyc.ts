import Type from 'typebox'
import { orNull, resource } from '../../base/shapes.js'
import { getEnvironment } from '../../merchants/environments.js'
import { approveKyc, kycStatuses, needsKyc, withdrawKyc } from '../../merchants/kyc/kyc.js'
import { documentKinds, KycForm } from '../../merchants/kyc/kyc-form.js'
import {
  decideKyc,
  getKyc,
  type KycOutcome,
  listKycSubmissions,
} from '../../merchants/kyc/kyc-submissions.js'
import { auditOperator } from '../changes/audit-operator.js'
import { type Action, type CommandCall, command, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { itemsOf, time } from '../definitions/views.js'

export const kycStatus = Type.Enum([...kycStatuses], { title: 'KycStatus' })

export const kycDecision = resource('KycDecision', {
  outcome: Type.Enum(['approve', 'ask', 'reject']),
  note: orNull(Type.String()),
  decidedBy: Type.String(),
  createdAt: time,
})

/** KYC of merchants. The console decides what they submitted; commands need no submission. */
export const kycActions: Action[] = [
  command({
    name: 'kyc approve',
    description: `approve KYC, which live mode needs to create ${listOf(needsKyc)}; everything else works without it`,
    args: ['merchant'],
    input: { merchant: fields.merchant },
    async run(call, { merchant }) {
      const isFresh = await changeKyc(call, { merchant, action: 'kyc.approve' }, approveKyc)
      return {
        data: { merchant, mode: 'live', kycStatus: 'APPROVED' },
        text: `KYC of ${merchant} ${isFresh ? 'is' : 'was already'} approved in live mode.`,
      }
    },
  }),
  command({
    name: 'kyc withdraw',
    description:
      'withdraw KYC: nothing that needs it can be created; what exists keeps receiving money',
    args: ['merchant'],
    input: { merchant: fields.merchant, reason: fields.reason },
    async run(call, { merchant, reason }) {
      const change = { merchant, action: 'kyc.withdraw', reason }
      const isFresh = await changeKyc(call, change, withdrawKyc)
      return {
        data: { merchant, mode: 'live', kycStatus: 'NONE' },
        text: `KYC of ${merchant} ${isFresh ? 'is withdrawn' : 'was not approved'} in live mode.`,
      }
    },
  }),
  route({
    request: 'GET /kyc',
    operation: 'listKyc',
    summary: 'KYC to review',
    input: { state: Type.Optional(Type.Enum(['waiting', 'decided'])) },
    view: itemsOf(
      resource('KycSubmission', {
        merchant: Type.String(),
        merchantName: Type.String(),
        status: kycStatus,
        submittedAt: orNull(time),
        documents: Type.Integer(),
      }),
    ),
    async run({ db }, { state }) {
      const statuses =
        state === 'decided'
          ? (['MORE_NEEDED', 'REJECTED', 'APPROVED'] as const)
          : (['SUBMITTED'] as const)
      const items = await listKycSubmissions(db, { statuses: [...statuses] })
      return { items: items.map(({ merchantId: _, ...item }) => item) }
    },
  }),
  route({
    request: 'GET /kyc/:merchant',
    operation: 'getKyc',
    summary: 'KYC of a merchant',
    input: { merchant: fields.merchant },
    view: resource('Kyc', {
      merchant: Type.String(),
      status: kycStatus,
      form: resource('KycForm', KycForm.properties),
      documents: Type.Array(
        Type.Object({
          reference: Type.String(),
          kind: Type.Enum([...documentKinds], { title: 'DocumentKind' }),
          name: Type.String(),
          contentType: Type.String(),
          sizeBytes: Type.Integer(),
          createdAt: time,
        }),
      ),
      decisions: Type.Array(kycDecision),
      updatedAt: orNull(time),
      submittedAt: orNull(time),
    }),
    async run({ db, seal }, { merchant }) {
      const { merchantId } = await getEnvironment(db, { merchant, mode: 'live' })
      const kyc = await getKyc(db, seal, merchantId)
      const { merchantId: _, environmentId: __, documents, ...shown } = kyc
      return {
        ...shown,
        merchant,
        documents: documents.map(({ id: _, ...document }) => document),
      }
    },
  }),
  decision('approve', 'Approve KYC'),
  decision('ask', 'Ask for more'),
  decision('reject', 'Reject KYC'),
]

async function changeKyc(
  { db, now, operator }: CommandCall,
  { merchant, action, ...why }: { merchant: string; action: string; reason?: string },
  change: typeof approveKyc,
): Promise<boolean> {
  const { id: environmentId, merchantId } = await getEnvironment(db, { merchant, mode: 'live' })
  return db.transaction(async (tx) => {
    const isFresh = await change(tx, environmentId)
    const details = { mode: 'live', ...why }
    if (isFresh) auditOperator(tx, now, operator, { action, merchantId, environmentId, details })
    return isFresh
  })
}

function decision(outcome: KycOutcome, summary: string): Action {
  return route({
    request: `POST /kyc/:merchant/${outcome}`,
    operation: `${outcome}Kyc`,
    summary,
    stepUp: 'always',
    input: {
      merchant: fields.merchant,
      note: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    },
    view: Type.Object({ merchant: Type.String(), status: kycStatus }),
    async run({ db, now, operator, operatorName }, { merchant, note = null }) {
      const { merchantId } = await getEnvironment(db, { merchant, mode: 'live' })
      return db.transaction(async (tx) => {
        const decided = { merchantId, outcome, note, decidedBy: operatorName }
        const { environmentId, before, after } = await decideKyc(tx, now, decided)
        auditOperator(tx, now, operator, {
          action: `kyc.${outcome}`,
          merchantId,
          environmentId,
          details: { mode: 'live', before, after, note },
          shown: { before, after, note },
        })
        return { merchant, status: after }
      })
    },
  })
}

function listOf(things: string[]): string {
  return `${things.slice(0, -1).join(', ')} and ${things.at(-1)}`
}
