import { strict as assert } from 'node:assert'
import { after, type RealTime } from '../../base/clock.js'
import { fromReference, newId, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { ActionCall, RouteCall } from '../definitions/definition.js'
import { auditOperator, type ConsoleOperator } from './audit-operator.js'

/** An action that one operator proposes and another one confirms; the payload describes it. */
export type Confirmable<Payload, Prepared = unknown> = {
  kind: string
  /** How the same is done on a server, where one operator suffices. */
  command: string
  /** Queries banks and chains, before the transaction. */
  prepare?(call: PerformCall, payload: Payload): Promise<Prepared>
  /**
   * Runs in the transaction that ends the action. Returns what the operators read. The audit line
   * of the effect names who confirmed it.
   */
  perform(
    tx: Tx,
    call: PerformCall,
    payload: Payload,
    prepared: Prepared,
  ): Promise<Record<string, unknown>>
}

export type PerformCall = Pick<ActionCall, 'db' | 'now' | 'operator' | 'withRails'>

export type ActionState = 'WAITING' | 'DONE' | 'WITHDRAWN' | 'EXPIRED'

export type OperatorAction = {
  id: string
  kind: string
  subject: string
  payload: Record<string, unknown>
  merchantId: string | null
  merchantName: string | null
  state: ActionState
  proposedBy: string
  proposedByName: string
  proposedAt: Date
  expiresAt: Date
  confirmedByName: string | null
  endedAt: Date | null
  result: Record<string, unknown> | null
}

type Proposal<Payload> = {
  /** What it changes: one waiting action for each. */
  subject: string
  payload: Payload
  merchantId?: string
  /** How long another operator can confirm it; a day if not given. */
  validMs?: number
}

/** Nothing happens before another operator confirms it. */
export async function propose<Payload extends object, Prepared>(
  { db, now, operator }: Pick<RouteCall, 'db' | 'now' | 'operator'>,
  { kind, command }: Confirmable<Payload, Prepared>,
  { subject, payload, merchantId, validMs = limits.operator.actionMs }: Proposal<Payload>,
): Promise<{ action: string; state: 'WAITING' }> {
  const id = newId(now)
  const action = actionReference(id)
  await db.transaction(async (tx) => {
    await refuseLoneOperator(tx, command)
    tx.write(sql`
      update operator_actions set state = 'EXPIRED', ended_at = ${now}
      where kind = ${kind} and subject = ${subject} and state = 'WAITING' and expires_at <= ${now}`)
    const rows = await tx.rows(sql`
      insert into operator_actions
        (id, kind, subject, payload, merchant_id, proposed_by, proposed_at, expires_at)
      values (${id}, ${kind}, ${subject}, ${JSON.stringify(payload)}, ${merchantId ?? null},
        ${operator.userId}, ${now}, ${after(now, validMs)})
      on conflict (kind, subject) where state = 'WAITING' do nothing returning id`)
    if (rows.length === 0)
      throw new Refusal('validation_failed', {
        reason: 'invalid_state',
        message:
          'The same action already waits for another operator. Confirm or withdraw that one.',
      })
    auditOperator(tx, now, operator, {
      action: 'action.propose',
      merchantId,
      details: { action, kind, ...payload },
    })
  })
  return { action, state: 'WAITING' }
}

async function refuseLoneOperator(db: Queryable, command: string): Promise<void> {
  const operators = await db.rows(sql`
    select from users where is_operator and disabled_at is null limit 2`)
  if (operators.length > 1) return
  throw new Refusal('forbidden', {
    message: 'This needs two operators, and you are the only one.',
    nextStep:
      'Add another operator with `manilla users create <email> --operator`, or use ' +
      `\`manilla ${command}\` on the server.`,
  })
}

/**
 * Carries an action out, exactly once: it ends in the transaction of its effect. If it is refused,
 * it keeps waiting.
 */
export async function confirmAction(
  call: Pick<RouteCall, 'db' | 'now' | 'clock' | 'operator' | 'withRails'>,
  id: string,
  confirmables: Confirmable<never>[],
): Promise<OperatorAction> {
  const { db, now, clock, operator } = call
  const proposed = await getAction(db, now, id)
  refuseUnlessConfirmable(proposed, operator)
  const confirmable = confirmables.find(({ kind }) => kind === proposed.kind)
  assert(confirmable, `${proposed.kind} can be confirmed`)
  const payload = proposed.payload as never
  const prepared = await confirmable.prepare?.(call, payload)
  return db.transaction(async (tx) => {
    const action = await lockAction(tx, now, id)
    refuseUnlessConfirmable(action, operator)
    await refuseFormerOperator(tx, action)
    const performed = { ...call, now: clock.now() }
    const result = await confirmable.perform(tx, performed, payload, prepared)
    tx.write(sql`
      update operator_actions set state = 'DONE', confirmed_by = ${operator.userId},
        ended_at = ${now}, result = ${JSON.stringify(result)}
      where id = ${id} and state = 'WAITING'`)
    const ended = await getAction(tx, now, id)
    auditOperator(tx, now, operator, {
      action: 'action.confirm',
      merchantId: action.merchantId ?? undefined,
      details: {
        action: actionReference(id),
        kind: action.kind,
        proposedBy: action.proposedByName,
        ...action.payload,
      },
    })
    return ended
  })
}

/** Any operator may withdraw an action that waits. */
export async function withdrawAction(
  tx: Tx,
  now: RealTime,
  { id, operator }: { id: string; operator: ConsoleOperator },
): Promise<OperatorAction> {
  const action = await lockAction(tx, now, id)
  if (action.state !== 'WAITING') throw hasEnded(action)
  tx.write(sql`
    update operator_actions set state = 'WITHDRAWN', ended_at = ${now}
    where id = ${id} and state = 'WAITING'`)
  const ended = await getAction(tx, now, id)
  auditOperator(tx, now, operator, {
    action: 'action.withdraw',
    merchantId: action.merchantId ?? undefined,
    details: { action: actionReference(id), kind: action.kind },
  })
  return ended
}

function refuseUnlessConfirmable(action: OperatorAction, operator: ConsoleOperator): void {
  if (action.state !== 'WAITING') throw hasEnded(action)
  if (action.proposedBy === operator.userId)
    throw new Refusal('forbidden', {
      reason: 'role',
      message: 'You proposed this action. Another operator must confirm it.',
      nextStep: 'Ask another operator to confirm it under "To confirm", or withdraw it.',
    })
}

/** Two operators decide, at the moment of the confirmation. */
async function refuseFormerOperator(tx: Tx, action: OperatorAction): Promise<void> {
  const operators = await tx.rows(sql`
    select from users where id = ${action.proposedBy} and is_operator and disabled_at is null
    for share`)
  if (operators.length > 0) return
  throw new Refusal('forbidden', {
    reason: 'role',
    message: `${action.proposedByName}, who proposed this action, is no longer an operator.`,
    nextStep: 'Withdraw it, and propose it again if it is right.',
  })
}

const endings: Record<Exclude<ActionState, 'WAITING'>, string> = {
  DONE: 'was already confirmed',
  WITHDRAWN: 'was withdrawn',
  EXPIRED: 'has expired: propose it again',
}

function hasEnded({ state }: OperatorAction): Refusal {
  const ending = endings[state as keyof typeof endings]
  return new Refusal('validation_failed', {
    reason: 'invalid_state',
    message: `This action ${ending}.`,
  })
}

export function actionReference(id: string): string {
  return toReference(prefixes.operatorAction, id)
}

export function readActionId(reference: string): string {
  const id = fromReference(prefixes.operatorAction, reference)
  if (!id) throw unknownAction()
  return id
}

function unknownAction(): Refusal {
  return new Refusal('not_found', { message: 'No such action exists.' })
}

type Row = Omit<OperatorAction, 'payload' | 'result'> & { payload: string; result: string | null }

/** An action whose time is over counts as expired before its row says so. */
function selectActions(now: Date): Sql<Row> {
  return sql<Row>`
    select a.id, a.kind, a.subject, a.payload::text as payload, a.merchant_id, m.display_name as
      merchant_name,
      case when a.state = 'WAITING' and a.expires_at <= ${now} then 'EXPIRED' else a.state end
        as state,
      a.proposed_by, p.name as proposed_by_name, a.proposed_at, a.expires_at, c.name as
      confirmed_by_name, a.ended_at,
      a.result::text as result
    from operator_actions a join users p on p.id = a.proposed_by
      left join users c on c.id = a.confirmed_by left join merchants m on m.id = a.merchant_id`
}

function toAction({ payload, result, ...row }: Row): OperatorAction {
  return {
    ...row,
    payload: JSON.parse(payload),
    result: result === null ? null : JSON.parse(result),
  }
}

async function getAction(db: Queryable, now: RealTime, id: string): Promise<OperatorAction> {
  const [row] = await db.rows(sql<Row>`${selectActions(now)} where a.id = ${id}`)
  if (!row) throw unknownAction()
  return toAction(row)
}

/** Two operators who confirm at once take turns. */
async function lockAction(tx: Tx, now: RealTime, id: string): Promise<OperatorAction> {
  await tx.rows(sql`select from operator_actions where id = ${id} for update`)
  return getAction(tx, now, id)
}

/** Newest first. */
export async function listActions(
  db: Queryable,
  now: RealTime,
  page: { isWaiting: boolean; before: string | undefined; limit: number },
): Promise<OperatorAction[]> {
  const isWaiting = sql`(a.state = 'WAITING' and a.expires_at > ${now})`
  const rows = await db.rows(sql<Row>`
    ${selectActions(now)}
    where ${page.isWaiting ? isWaiting : sql`not ${isWaiting}`}
      ${page.before === undefined ? sql`` : sql`and a.id < ${page.before}`}
    order by a.id desc limit ${page.limit}`)
  return rows.map(toAction)
}
