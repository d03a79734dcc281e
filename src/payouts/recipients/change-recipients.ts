import type { EnvironmentTime, RealTime } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import { lockEnvironment } from '../../merchants/environments.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import {
  destinationOfRecipient,
  type Recipient,
  recipientReference,
  type ShownRecipient,
} from './recipient.js'
import { showRecipient } from './resource.js'
import {
  findRecipientOf,
  insertRecipient,
  lockRecipient,
  type RecipientName,
  updateRecipient,
  withFirstPaid,
} from './store-recipients.js'

type Moment = { now: EnvironmentTime; realNow: RealTime }

export type NewRecipient = Pick<
  Recipient,
  | 'environmentId'
  | 'kind'
  | 'bankCode'
  | 'bankName'
  | 'accountNumber'
  | 'accountName'
  | 'address'
  | 'label'
  | 'metadata'
>

/** Refuses an account or wallet that is saved already. */
export async function saveRecipient(
  tx: Tx,
  { now, realNow }: Moment,
  wanted: NewRecipient,
): Promise<ShownRecipient> {
  const { environmentId } = wanted
  const created: Recipient = {
    ...wanted,
    id: newId(now),
    status: 'ACTIVE',
    activeSince: now,
    eventSequence: 1,
    createdAt: now,
  }
  // Two requests that save the same account take turns: the second finds the first.
  await lockEnvironment(tx, environmentId)
  const saved = await findRecipientOf(tx, environmentId, destinationOfRecipient(created, null))
  if (saved) throw alreadySaved(saved)
  insertRecipient(tx, created)
  const shown = { ...created, firstPaidAt: null }
  emit(tx, realNow, shown, { what: 'created', causeId: created.id })
  return shown
}

function alreadySaved(saved: Recipient): Refusal {
  const what = saved.kind === 'wallet' ? 'This wallet' : 'This bank account'
  const next = saved.status === 'ACTIVE' ? 'Pay that one.' : 'It is disabled; enable it.'
  return new Refusal('recipient_failed', {
    reason: 'recipient_exists',
    message: `${what} is saved as ${recipientReference(saved)}. ${next}`,
  })
}

export type RecipientChange = Partial<Pick<Recipient, 'label' | 'metadata'>>

export async function changeRecipient(
  tx: Tx,
  name: RecipientName,
  change: RecipientChange,
): Promise<ShownRecipient> {
  const before = await lockRecipient(tx, name)
  const changed = { ...before, ...change }
  updateRecipient(tx, changed)
  return show(tx, changed)
}

/** Transfers to it are refused from now on, also those that wait for approval. */
export async function disableRecipient(
  tx: Tx,
  { now, realNow }: Moment,
  name: RecipientName,
): Promise<ShownRecipient> {
  const before = await lockRecipient(tx, name)
  if (before.status === 'DISABLED') return show(tx, before)
  const eventSequence = before.eventSequence + 1
  const disabled = await show(tx, { ...before, status: 'DISABLED', eventSequence })
  updateRecipient(tx, disabled)
  emit(tx, realNow, disabled, { what: 'disabled', causeId: newId(now) })
  return disabled
}

/** The name of a bank account, as the bank reports it now. Null: a wallet. */
export type Holder = { bankName: string; accountName: string } | null

/**
 * It is like a new one: it takes the name that the bank reports now, the cooling-off begins again,
 * and its next payout is the first.
 */
export async function enableRecipient(
  tx: Tx,
  { now, realNow }: Moment,
  name: RecipientName,
  holder: Holder,
): Promise<ShownRecipient> {
  const before = await lockRecipient(tx, name)
  if (before.status === 'ACTIVE') return show(tx, before)
  const enabled: ShownRecipient = {
    ...before,
    ...(holder && { bankName: holder.bankName, accountName: holder.accountName }),
    status: 'ACTIVE',
    activeSince: now,
    eventSequence: before.eventSequence + 1,
    firstPaidAt: null,
  }
  updateRecipient(tx, enabled)
  emit(tx, realNow, enabled, { what: 'enabled', causeId: newId(now) })
  return enabled
}

async function show(tx: Tx, recipient: Recipient): Promise<ShownRecipient> {
  const [shown] = await withFirstPaid(tx, [recipient])
  return shown!
}

const eventTypes = {
  created: 'recipient.created',
  disabled: 'recipient.disabled',
  enabled: 'recipient.enabled',
} as const

function emit(
  tx: Tx,
  realNow: RealTime,
  recipient: ShownRecipient,
  { what, causeId }: { what: keyof typeof eventTypes; causeId: string },
): void {
  const { environmentId, id: resourceId, eventSequence: sequence } = recipient
  const type = eventTypes[what]
  const data = showRecipient(recipient)
  emitAll(tx, realNow, [{ environmentId, type, resourceId, causeId, sequence, data }])
}
