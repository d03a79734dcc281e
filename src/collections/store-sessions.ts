import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import type { SessionStatus } from '../resources/checkout-session.js'
import type { Session } from './session.js'

const inserted = {
  environment_id: 'int4',
  id: 'uuid',
  reference: 'text',
  account_id: 'uuid',
  wallet_id: 'uuid',
  amount: 'int8',
  crypto_rate: 'int8',
  description: 'text',
  customer_name: 'text',
  customer_email: 'text',
  merchant_reference: 'text',
  url: 'text',
  success_url: 'text',
  cancel_url: 'text',
  created_at: 'timestamptz',
} as const

const insert = listStatement({
  name: 'insert_checkout_sessions',
  columns: { ...inserted, metadata: 'text' },
  text: (list) => {
    const names = Object.keys(inserted).join(', ')
    return `
      insert into checkout_sessions (${names}, metadata)
      select ${names}, metadata::json from ${list}`
  },
})

export function insertSessions(tx: Tx, sessions: Session[]): void {
  if (sessions.length === 0) return
  const rows = sessions.map((session) => ({
    environment_id: session.environmentId,
    id: session.id,
    reference: session.reference,
    account_id: session.accountId,
    wallet_id: session.walletId,
    amount: session.amount,
    crypto_rate: session.cryptoRate,
    description: session.description,
    customer_name: session.customerName,
    customer_email: session.customerEmail,
    merchant_reference: session.merchantReference,
    url: session.url,
    success_url: session.successUrl,
    cancel_url: session.cancelUrl,
    created_at: session.createdAt,
    metadata: session.metadata,
  }))
  tx.write(insert(rows))
}

const end = listStatement({
  name: 'end_checkout_sessions',
  columns: { environment_id: 'int4', id: 'uuid', status: 'text' },
  text: (list) => `
    update checkout_sessions s set status = list.status, event_sequence = s.event_sequence + 1
    from ${list} where s.environment_id = list.environment_id and s.id = list.id`,
})

type EndedSession = Pick<Session, 'environmentId' | 'id'> & { status: SessionStatus }

/** The caller has locked the sessions' accounts, so no other transaction changes the sessions. */
export function endSessions(tx: Tx, sessions: EndedSession[]): void {
  if (sessions.length === 0) return
  tx.write(
    end(
      sessions.map(({ environmentId, id, status }) => ({
        environment_id: environmentId,
        id,
        status,
      })),
    ),
  )
}

/** Records the first view of the page; later ones change nothing. */
export async function markOpened(
  db: Queryable,
  { environmentId, id }: Pick<Session, 'environmentId' | 'id'>,
  at: Date,
): Promise<void> {
  await db.rows(sql`
    update checkout_sessions set opened_at = ${at}
    where environment_id = ${environmentId} and id = ${id} and opened_at is null`)
}
