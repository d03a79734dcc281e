import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { newId, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { sql } from '../../postgres/sql.js'
import { column, Table, upsert } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { kycLimits } from '../limits.js'
import type { KycStatus } from './kyc.js'
import { type KycDocument, listKycDocuments } from './kyc-documents.js'
import { emptyForm, findMissing, type KycForm } from './kyc-form.js'

export type KycOutcome = 'approve' | 'ask' | 'reject'

const kycDecisions = new Table('kyc_decisions', {
  outcome: column.text<KycOutcome>(),
  /** What the merchant reads. */
  note: column.text().orNull(),
  /** Name of the operator. */
  decidedBy: column.text(),
  createdAt: column.time(),
})

export type KycDecision = typeof kycDecisions.row

/** All of it; without `content` of the documents. */
export type Kyc = {
  merchantId: string
  /** The live environment, which KYC opens. */
  environmentId: EnvironmentId
  status: KycStatus
  form: KycForm
  documents: KycDocument[]
  /** Newest first. */
  decisions: KycDecision[]
  updatedAt: Date | null
  submittedAt: Date | null
}

/** A merchant may change what it stated until it submits, and when the operator asks for more. */
const editable: readonly KycStatus[] = ['NONE', 'DRAFT', 'MORE_NEEDED']

export function isKycEditable(status: KycStatus): boolean {
  return editable.includes(status)
}

type State = { environmentId: EnvironmentId; status: KycStatus }

async function findState(db: Queryable, merchantId: string): Promise<State> {
  const [row] = await db.rows(sql<State>`
    select id as environment_id, kyc_status as status from environments
    where merchant_id = ${merchantId} and mode = 'live'`)
  return row!
}

/** Changes of one merchant's KYC take turns. */
async function lockState(tx: Tx, merchantId: string): Promise<State> {
  const [row] = await tx.rows(sql<State>`
    select id as environment_id, kyc_status as status from environments
    where merchant_id = ${merchantId} and mode = 'live' for no key update`)
  return row!
}

/** Refuses while the operator reviews, and once it has decided. */
export async function lockEditableKyc(tx: Tx, merchantId: string): Promise<State> {
  const state = await lockState(tx, merchantId)
  if (!isKycEditable(state.status))
    throw new Refusal('validation_failed', { message: whyLocked[state.status] })
  return state
}

const whyLocked: Record<KycStatus, string> = {
  NONE: '',
  DRAFT: '',
  MORE_NEEDED: '',
  SUBMITTED: 'The operator reviews your KYC. You can change it if the operator asks for more.',
  APPROVED: 'Your KYC is approved. Ask the operator if something has changed.',
  REJECTED: 'Your KYC was rejected. Ask the operator to open it again.',
}

export async function getKyc(db: Queryable, seal: Seal, merchantId: string): Promise<Kyc> {
  const [state, stored, documents, decisions] = await Promise.all([
    findState(db, merchantId),
    findStored(db, merchantId),
    listKycDocuments(db, merchantId),
    listDecisions(db, merchantId),
  ])
  return {
    merchantId,
    environmentId: state.environmentId,
    status: state.status,
    form: stored ? openForm(seal, stored.sealedForm) : emptyForm,
    documents,
    decisions,
    updatedAt: stored?.updatedAt ?? null,
    submittedAt: stored?.submittedAt ?? null,
  }
}

type Stored = { sealedForm: string; updatedAt: Date; submittedAt: Date | null }

async function findStored(db: Queryable, merchantId: string): Promise<Stored | undefined> {
  const [row] = await db.rows(sql<Stored>`
    select sealed_form, updated_at, submitted_at
    from kyc_submissions where merchant_id = ${merchantId}`)
  return row
}

/** What an operator has approved, without documents; undefined: nothing, or no form. */
export async function findApprovedForm(
  db: Queryable,
  seal: Seal,
  merchantId: string,
): Promise<KycForm | undefined> {
  const { status } = await findState(db, merchantId)
  const stored = status === 'APPROVED' ? await findStored(db, merchantId) : undefined
  return stored && openForm(seal, stored.sealedForm)
}

function openForm(seal: Seal, sealed: string): KycForm {
  return JSON.parse(seal.open(sealed)) as KycForm
}

/**
 * Names under which an approved merchant holds bank accounts: that of the business and, for a sole
 * trader, those of its people. Empty until the operator has approved them.
 */
export async function findApprovedNames(
  db: Queryable,
  seal: Seal,
  merchantId: string,
): Promise<string[]> {
  const { status, form } = await getKyc(db, seal, merchantId)
  if (status !== 'APPROVED') return []
  const { legalName, type } = form.business
  const people = type === 'sole_trader' ? form.people.map(({ name }) => name) : []
  return [legalName, ...people].filter((name) => name !== null)
}

type Draft = { merchantId: string; seal: Seal; form: KycForm }

/** Saves what is filled in so far. */
export async function saveKyc(
  tx: Tx,
  now: RealTime,
  { merchantId, seal, form }: Draft,
): Promise<void> {
  const state = await lockEditableKyc(tx, merchantId)
  beginDraft(tx, state)
  const sealedForm = seal.seal(JSON.stringify(form))
  tx.write(upsert('kyc_submissions', { merchantId }, { sealedForm, updatedAt: now }))
}

/** Once something is stored, the merchant has begun. */
export function beginDraft(tx: Tx, { environmentId }: State): void {
  tx.write(sql`
    update environments set kyc_status = 'DRAFT'
    where id = ${environmentId} and kyc_status = 'NONE'`)
}

/** Hands the form to the operator. Refuses a form that lacks something, and says what. */
export async function submitKyc(
  tx: Tx,
  now: RealTime,
  { merchantId, seal }: Omit<Draft, 'form'>,
): Promise<void> {
  const { environmentId } = await lockEditableKyc(tx, merchantId)
  const stored = await findStored(tx, merchantId)
  const form = stored ? openForm(seal, stored.sealedForm) : emptyForm
  const details = findMissing(form, await listKycDocuments(tx, merchantId))
  if (details.length > 0)
    throw new Refusal('validation_failed', {
      message: `${details.length} of the required fields and documents are missing.`,
      details: details.slice(0, limits.http.detailsShownMax),
    })
  tx.write(sql`
    update kyc_submissions set submitted_at = ${now} where merchant_id = ${merchantId}`)
  tx.write(sql`update environments set kyc_status = 'SUBMITTED' where id = ${environmentId}`)
}

export type KycSubmission = {
  merchantId: string
  merchant: string
  merchantName: string
  status: KycStatus
  submittedAt: Date | null
  documents: number
}

/** What waits for the operator first, the oldest first; then what waits for merchants. */
export async function listKycSubmissions(
  db: Queryable,
  { statuses = ['SUBMITTED'] }: { statuses?: KycStatus[] } = {},
): Promise<KycSubmission[]> {
  const rows = await db.rows(sql<Omit<KycSubmission, 'merchant'>>`
    select e.merchant_id, m.display_name as merchant_name, e.kyc_status as status, s.submitted_at,
      (select count(*)::int from kyc_documents d where d.merchant_id = e.merchant_id) as documents
    from environments e join merchants m on m.id = e.merchant_id
      left join kyc_submissions s on s.merchant_id = e.merchant_id
    where e.mode = 'live' and e.kyc_status = any(${statuses})
    order by e.kyc_status <> 'SUBMITTED', s.submitted_at nulls last, e.merchant_id
    limit ${limits.operator.rowsListedMax}`)
  return rows.map((row) => ({ ...row, merchant: toReference(prefixes.merchant, row.merchantId) }))
}

const statusAfter: Record<KycOutcome, KycStatus> = {
  approve: 'APPROVED',
  ask: 'MORE_NEEDED',
  reject: 'REJECTED',
}

/** A rejected merchant can be asked again, and asked or rejected ones can still be approved. */
const decidable: Record<KycOutcome, readonly KycStatus[]> = {
  approve: ['SUBMITTED', 'MORE_NEEDED', 'REJECTED'],
  ask: ['SUBMITTED', 'REJECTED'],
  reject: ['SUBMITTED', 'MORE_NEEDED'],
}

/** The note is required unless the outcome is `approve`. */
export type NewKycDecision = Omit<KycDecision, 'createdAt'> & { merchantId: string }

/**
 * Records the decision of an operator and returns what changed. The caller writes the audit line.
 * Refuses what does not wait for a decision.
 */
export async function decideKyc(
  tx: Tx,
  now: RealTime,
  { merchantId, outcome, note, decidedBy }: NewKycDecision,
): Promise<{ environmentId: EnvironmentId; before: KycStatus; after: KycStatus }> {
  const { environmentId, status: before } = await lockState(tx, merchantId)
  if (outcome !== 'approve' && !note?.trim())
    throw new Refusal('validation_failed', {
      message: 'Tell the merchant why, or what is missing.',
      details: [{ field: 'note', issue: 'is required' }],
    })
  if (!decidable[outcome].includes(before))
    throw new Refusal('validation_failed', {
      message: `The KYC status of this merchant is ${before}. Reload the page.`,
    })
  const after = statusAfter[outcome]
  tx.write(sql`update environments set kyc_status = ${after} where id = ${environmentId}`)
  const decision: KycDecision = { outcome, note, decidedBy, createdAt: now }
  tx.write(kycDecisions.insert(decision, { merchantId, id: newId(now) }))
  return { environmentId, before, after }
}

async function listDecisions(db: Queryable, merchantId: string): Promise<KycDecision[]> {
  return db.rows(sql<KycDecision>`
    select ${kycDecisions.columns} from kyc_decisions where merchant_id = ${merchantId}
    order by id desc limit ${kycLimits.decisionsShownMax}`)
}
