import type { RealTime } from '../base/clock.js'
import { fromReference, prefixes } from '../base/ids.js'
import type { Database } from '../postgres/database.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { createStartLink } from '../team/start-links.js'
import { addMembership, createUser, findMembership, findUserId } from '../team/users.js'
import type { Demo } from './demo.js'

const owner = { email: 'ada@example.com', name: 'Ada Obi', isOperator: true }

/** A one-use link that signs in the owner of the demo merchant, who is an operator. */
export async function openDemoConsole(
  db: Database,
  now: RealTime,
  { baseUrl, merchant }: Pick<Demo, 'baseUrl' | 'merchant'>,
): Promise<string> {
  const token = await db.transaction(async (tx) => {
    const userId = await ensureOwner(tx, now, fromReference(prefixes.merchant, merchant.id)!)
    return createStartLink(tx, now, userId)
  })
  return `${toConsoleUrl(baseUrl)}/console/start/${token}`
}

/** Browsers keep passkeys for names only, not for addresses. */
export function toConsoleUrl(baseUrl: string): string {
  return baseUrl.replace('//127.0.0.1:', '//localhost:')
}

/** The database may be older than the console, or the demo merchant newer than its owner. */
async function ensureOwner(tx: Tx, now: RealTime, merchantId: string): Promise<string> {
  const userId = (await findUserId(tx, owner.email)) ?? createUser(tx, now, owner)
  if (!(await findMembership(tx, merchantId, userId)))
    addMembership(tx, now, { merchantId, userId, role: 'owner', maySeeLive: true })
  return userId
}
