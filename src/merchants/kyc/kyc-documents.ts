import type { RealTime } from '../../base/clock.js'
import { newId, prefixes, toReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { sql } from '../../postgres/sql.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { kycLimits } from '../limits.js'
import type { DocumentKind } from './kyc-form.js'

const kycDocuments = new Table('kyc_documents', {
  id: column.uuid(),
  kind: column.text<DocumentKind>(),
  name: column.text(),
  contentType: column.text<FileType>(),
  sizeBytes: column.int4(),
  createdAt: column.time(),
})

type Row = typeof kycDocuments.row

/** A document without its content. */
export type KycDocument = Row & { reference: string }

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

export type NewKycDocument = Omit<Row, 'id' | 'createdAt'> & {
  merchantId: string
  /** Encrypted by the caller, outside the transaction. */
  sealed: Buffer
}

/** Call `lockEditableKyc` first. Refuses more documents than a merchant may have. */
export async function addKycDocument(
  tx: Tx,
  now: RealTime,
  document: NewKycDocument,
): Promise<KycDocument> {
  const { merchantId, sealed: sealedContent, ...described } = document
  const documents = await listKycDocuments(tx, merchantId)
  if (documents.length >= kycLimits.documentsMax)
    throw new Refusal('validation_failed', {
      message: `There are already ${documents.length} documents. Remove one first.`,
    })
  const row = { ...described, id: newId(now), createdAt: now }
  tx.write(kycDocuments.insert(row, { merchantId, sealedContent }))
  return toDocument(row)
}

type DocumentName = { merchantId: string; id: string | undefined }

/** Call `lockEditableKyc` first. */
export async function removeKycDocument(tx: Tx, name: DocumentName): Promise<KycDocument> {
  const [row] = await tx.rows(sql<Row>`
    delete from kyc_documents where merchant_id = ${name.merchantId} and id = ${name.id ?? null}
    returning ${kycDocuments.columns}`)
  if (!row) throw unknownDocument()
  return toDocument(row)
}

/** Oldest first. */
export async function listKycDocuments(db: Queryable, merchantId: string): Promise<KycDocument[]> {
  const rows = await db.rows(sql<Row>`
    select ${kycDocuments.columns} from kyc_documents
    where merchant_id = ${merchantId} order by id`)
  return rows.map(toDocument)
}

/** A document with its content. The caller writes an audit line: it shows personal papers. */
export async function readKycDocument(
  db: Queryable,
  seal: Seal,
  name: DocumentName,
): Promise<KycDocument & { content: Buffer }> {
  const [row] = await db.rows(sql<Row & { sealed: Buffer }>`
    select ${kycDocuments.columns}, sealed_content as sealed from kyc_documents
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
