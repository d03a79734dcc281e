import { newId, prefixes, toReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { kycLimits } from '../limits.js'
import type { DocumentKind } from './kyc-form.js'

/** A document without its content. */
export type KycDocument = {
  id: string
  reference: string
  kind: DocumentKind
  name: string
  contentType: FileType
  sizeBytes: number
  createdAt: Date
}

type Row = Omit<KycDocument, 'reference'>

const columns = sql`
  id, kind, name, content_type, size_bytes, created_at`

export type FileType = 'application/pdf' | 'image/png' | 'image/jpeg'

const signatures: Record<FileType, Buffer> = {
  'application/pdf': Buffer.from('%PDF-'),
  'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff]),
}

export const fileTypes = Object.keys(signatures) as FileType[]

/** The type that the first bytes show; undefined for every other file. */
export function fileTypeOf(bytes: Buffer): FileType | undefined {
  return fileTypes.find((type) =>
    bytes.subarray(0, signatures[type].length).equals(signatures[type]),
  )
}

export type NewKycDocument = {
  merchantId: string
  kind: DocumentKind
  name: string
  contentType: FileType
  /** Encrypted by the caller, outside the transaction. */
  sealed: Buffer
  sizeBytes: number
}

/** Call `lockEditableKyc` first. Refuses more documents than a merchant may have. */
export async function addKycDocument(
  tx: Tx,
  now: Date,
  document: NewKycDocument,
): Promise<KycDocument> {
  const { merchantId, kind, name, contentType, sealed, sizeBytes } = document
  const documents = await listKycDocuments(tx, merchantId)
  if (documents.length >= kycLimits.documentsMax)
    throw new Refusal('validation_failed', {
      message: `There are already ${documents.length} documents. Remove one first.`,
    })
  const id = newId(now)
  tx.write(sql`
    insert into kyc_documents
      (merchant_id, id, kind, name, content_type, size_bytes, sealed_content, created_at)
    values (${merchantId}, ${id}, ${kind}, ${name}, ${contentType}, ${sizeBytes}, ${sealed},
      ${now})`)
  return toDocument({ id, kind, name, contentType, sizeBytes, createdAt: now })
}

type DocumentName = { merchantId: string; id: string | undefined }

/** Call `lockEditableKyc` first. */
export async function removeKycDocument(tx: Tx, name: DocumentName): Promise<KycDocument> {
  const [row] = await tx.rows(sql<Row>`
    delete from kyc_documents where merchant_id = ${name.merchantId} and id = ${name.id ?? null}
    returning ${columns}`)
  if (!row) throw unknownDocument()
  return toDocument(row)
}

/** Oldest first. */
export async function listKycDocuments(db: Queryable, merchantId: string): Promise<KycDocument[]> {
  const rows = await db.rows(sql<Row>`
    select ${columns} from kyc_documents where merchant_id = ${merchantId} order by id`)
  return rows.map(toDocument)
}

/** A document with its content. The caller writes an audit line: it shows people's papers. */
export async function readKycDocument(
  db: Queryable,
  seal: Seal,
  name: DocumentName,
): Promise<KycDocument & { content: Buffer }> {
  const [row] = await db.rows(sql<Row & { sealed: Buffer }>`
    select ${columns}, sealed_content as sealed from kyc_documents
    where merchant_id = ${name.merchantId} and id = ${name.id ?? null}`)
  if (!row) throw unknownDocument()
  const { sealed, ...document } = row
  return { ...toDocument(document), content: seal.openBytes(sealed) }
}

function unknownDocument(): Refusal {
  return new Refusal('not_found', { message: 'No such document exists.' })
}

function toDocument(row: Row): KycDocument {
  return { ...row, reference: toReference(prefixes.kycDocument, row.id) }
}
