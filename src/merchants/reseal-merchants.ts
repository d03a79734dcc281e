import { limits } from '../base/limits.js'
import type { Seal } from '../base/sealed.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import { kycLimits } from './limits.js'

const beforeFirst = '00000000-0000-0000-0000-000000000000'

/** Seals kept keys and KYC with the current secret; returns how many values were changed. */
export async function resealMerchants(db: Database, seal: Seal): Promise<number> {
  return (
    (await resealKeys(db, seal)) +
    (await resealForms(db, seal)) +
    (await resealDocuments(db, seal)) +
    (await resealCustomers(db, seal))
  )
}

async function resealKeys(db: Database, seal: Seal): Promise<number> {
  type Row = { id: string; sealed: string }
  return resealInPages(async (after) => {
    const rows = await db.rows(sql<Row>`
      select id, sealed_key as sealed from api_keys
      where sealed_key is not null and id > ${after}
      order by id limit ${limits.secret.endpointsPerBatchMax}`)
    return changeEach(rows, async ({ id, sealed }) => {
      const resealed = seal.reseal(sealed)
      if (resealed === undefined) return false
      await db.rows(sql`
        update api_keys set sealed_key = ${resealed} where id = ${id} and sealed_key = ${sealed}`)
      return true
    })
  })
}

async function resealForms(db: Database, seal: Seal): Promise<number> {
  type Row = { id: string; sealed: string }
  return resealInPages(async (after) => {
    const rows = await db.rows(sql<Row>`
      select merchant_id as id, sealed_form as sealed from kyc_submissions
      where merchant_id > ${after} order by merchant_id limit ${kycLimits.formsPerBatchMax}`)
    return changeEach(rows, async ({ id, sealed }) => {
      const resealed = seal.reseal(sealed)
      if (resealed === undefined) return false
      // Saved meanwhile: it is sealed with the current secret already.
      await db.rows(sql`
        update kyc_submissions set sealed_form = ${resealed}
        where merchant_id = ${id} and sealed_form = ${sealed}`)
      return true
    })
  })
}

/** Documents never change, so their ids suffice. */
async function resealDocuments(db: Database, seal: Seal): Promise<number> {
  type Row = { id: string; merchantId: string; sealed: Buffer }
  let changed = 0
  let last: Pick<Row, 'merchantId' | 'id'> = { merchantId: beforeFirst, id: beforeFirst }
  for (;;) {
    const rows = await db.rows(sql<Row>`
      select merchant_id, id, sealed_content as sealed from kyc_documents
      where (merchant_id, id) > (${last.merchantId}, ${last.id})
      order by merchant_id, id limit ${kycLimits.documentsPerBatchMax}`)
    for (const { merchantId, id, sealed } of rows) {
      const resealed = seal.resealBytes(sealed)
      if (!resealed) continue
      changed += 1
      await db.rows(sql`
        update kyc_documents set sealed_content = ${resealed}
        where merchant_id = ${merchantId} and id = ${id}`)
    }
    const end = rows.at(-1)
    if (!end) return changed
    last = end
  }
}

async function resealCustomers(db: Database, seal: Seal): Promise<number> {
  type Row = { environmentId: number; sealed: string }
  let changed = 0
  let last = 0
  for (;;) {
    const rows = await db.rows(sql<Row>`
      select environment_id, sealed_customer as sealed from default_customers
      where environment_id > ${last} order by environment_id limit ${kycLimits.formsPerBatchMax}`)
    for (const { environmentId, sealed } of rows) {
      const resealed = seal.reseal(sealed)
      if (resealed === undefined) continue
      changed += 1
      await db.rows(sql`
        update default_customers set sealed_customer = ${resealed}
        where environment_id = ${environmentId} and sealed_customer = ${sealed}`)
    }
    const end = rows.at(-1)
    if (!end) return changed
    last = end.environmentId
  }
}

type Page = { changed: number; last: string | undefined }

async function resealInPages(readPage: (after: string) => Promise<Page>): Promise<number> {
  let changed = 0
  let last: string | undefined = beforeFirst
  while (last !== undefined) {
    const page: Page = await readPage(last)
    changed += page.changed
    last = page.last
  }
  return changed
}

async function changeEach<Row extends { id: string }>(
  rows: Row[],
  change: (row: Row) => Promise<boolean>,
): Promise<Page> {
  let changed = 0
  for (const row of rows) if (await change(row)) changed += 1
  return { changed, last: rows.at(-1)?.id }
}
