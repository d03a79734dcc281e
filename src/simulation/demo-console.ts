import { fromReference, prefixes } from '../base/ids.js'
import type { Database } from '../postgres/database.js'
import type { Tx } from '../postgres/tx.js'
import { createStartLink } from '../team/start-links.js'
import { addMembership, createUser, findMembership, findUserId } from '../team/users.js'

const owner = { email: 'ada@example.com', name: 'Ada Obi', isOperator: true }

/** The path of a one-use link that signs in the owner of the demo merchant, who is an operator. */
export function openDemoConsole(db: Database, now: Date, merchant: string): Promise<string> {
  return db.transaction(async (tx) => {
    const userId = await ensureOwner(tx, now, fromReference(prefixes.merchant, merchant)!)
    return `/console/start/${createStartLink(tx, now, userId)}`
  })
}

/** The database may be older than the console, or the demo merchant newer than its owner. */
async function ensureOwner(tx: Tx, now: Date, merchantId: string): Promise<string> {
  const userId = (await findUserId(tx, owner.email)) ?? createUser(tx, now, owner)
  if (!(await findMembership(tx, merchantId, userId)))
    addMembership(tx, now, { merchantId, userId, role: 'owner', maySeeLive: true })
  return userId
}
