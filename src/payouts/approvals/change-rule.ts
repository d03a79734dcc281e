import type { EnvironmentTime } from '../../base/clock.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { type Detail, Refusal } from '../../base/refusal.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import { lockEnvironment } from '../../merchants/environments.js'
import { getSettings, writeApprovals } from '../../merchants/settings/settings.js'
import {
  type Approvals,
  assetsWithRules,
  hasRule,
} from '../../merchants/settings/settings-document.js'
import { parseDecimal } from '../../money/amounts.js'
import { type Asset, assetNames } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type Approver, findApprovingTeam, judgeApprovers } from '../../team/approvers.js'
import { explainWait } from '../../team/shared-access.js'
import { judgeExpiry } from './approval-expiry.js'
import { isLooserRule } from './approval-rule.js'

const settingChanges = new Table('setting_changes', {
  id: column.uuid(),
  approvals: column.json<Approvals>(),
  before: column.json<Approvals>().named('approvals_before'),
  createdAt: column.time(),
  expiresAt: column.time(),
})

/** A looser rule that waits for a second member. */
export type RuleChange = typeof settingChanges.row & { proposedBy: { id: string; name: string } }

export type ChangedRule = {
  approvals: Approvals
  before: Approvals
  change: RuleChange | null
}

/**
 * Changes the approval rule. A stricter one applies at once; a looser one waits until a second
 * member confirms it. Either replaces a change that waits.
 */
export async function changeRule(
  tx: Tx,
  now: EnvironmentTime,
  environment: Environment,
  { approvals: sent, user }: { approvals: Approvals; user: { id: string; name: string } },
): Promise<ChangedRule> {
  await lockEnvironment(tx, environment.id)
  const { approvals: before } = await getSettings(tx, environment)
  const { controls = before.controls ?? null } = sent
  const approvals = { ...sent, controls }
  refuseAmounts(approvals)
  if (hasRule(approvals)) await refuseTooFew(tx, environment)
  tx.write(sql`
    update setting_changes set state = 'CANCELLED', decided_by = ${user.id}, decided_at = ${now}
    where environment_id = ${environment.id} and state = 'OPEN'`)
  if (!isLooserRule(before, approvals)) {
    await applyRule(tx, now, environment.id, approvals)
    return { approvals, before, change: null }
  }
  const proposal = { proposedBy: user, createdAt: now }
  const confirmers = await findConfirmers(tx, environment.id, proposal)
  const change: RuleChange = {
    ...proposal,
    id: newId(now),
    approvals,
    before,
    // Not extended later: nothing is held meanwhile, and it can be proposed again.
    expiresAt: judgeExpiry({ waitsSince: now, enoughFrom: confirmers[0]?.from }),
  }
  const opened = { environmentId: environment.id, proposedBy: user.id, state: 'OPEN' }
  tx.write(settingChanges.insert(change, opened))
  return { approvals: before, before, change }
}

/** Owners and admins who may confirm a change, and from when. */
export async function findConfirmers(
  db: Queryable,
  environmentId: EnvironmentId,
  { proposedBy, createdAt }: Pick<RuleChange, 'proposedBy' | 'createdAt'>,
): Promise<Approver[]> {
  const subject = { creators: [proposedBy.id], approvedBy: [], waitsSince: createdAt }
  const team = await findApprovingTeam(db, environmentId, [subject], 'settings.change')
  return judgeApprovers(team, subject)
}

type ChangeName = { environment: Environment; id: string; userId: string }

/** Applies a looser rule that another member proposed. */
export async function confirmRuleChange(
  tx: Tx,
  now: EnvironmentTime,
  { environment, id: changeId, userId }: ChangeName,
): Promise<ChangedRule> {
  await lockEnvironment(tx, environment.id)
  const change = await getOpenChange(tx, environment.id, changeId)
  if (change.proposedBy.id === userId)
    throw new Refusal('forbidden', {
      reason: 'second_member_required',
      message: 'You proposed this change. Another owner or admin must confirm it.',
    })
  const confirmers = await findConfirmers(tx, environment.id, change)
  const own = confirmers.find(({ id }) => id === userId)
  if (own && own.from > now)
    throw new Refusal('forbidden', {
      reason: 'shared_access',
      message: `You may confirm this change ${explainWait(own, { userId, at: now })}. Until then another owner or admin must confirm it.`,
    })
  if (now >= change.expiresAt)
    throw new Refusal('forbidden', {
      reason: 'approval_expired',
      message: 'This change waited too long. Propose it again.',
    })
  const { approvals, before } = change
  if (hasRule(approvals)) await refuseTooFew(tx, environment)
  decide(tx, now, { environmentId: environment.id, id: changeId, userId, state: 'CONFIRMED' })
  await applyRule(tx, now, environment.id, approvals)
  return { approvals, before, change: null }
}

/**
 * Payouts lock the available balance before they read the rule. So does the change: a payout that
 * commits after it has seen it.
 */
async function applyRule(
  tx: Tx,
  now: EnvironmentTime,
  environmentId: EnvironmentId,
  approvals: Approvals,
): Promise<void> {
  await lockLedgerAccounts(
    tx,
    assetNames.map((asset) => ({ environmentId, asset, name: 'available' })),
  )
  await writeApprovals(tx, now, environmentId, approvals)
}

export async function cancelRuleChange(
  tx: Tx,
  now: EnvironmentTime,
  { environment, id, userId }: ChangeName,
): Promise<void> {
  await lockEnvironment(tx, environment.id)
  await getOpenChange(tx, environment.id, id)
  decide(tx, now, { environmentId: environment.id, id, userId, state: 'CANCELLED' })
}

type Decided = {
  environmentId: EnvironmentId
  id: string
  userId: string
  state: 'CONFIRMED' | 'CANCELLED'
}

function decide(tx: Tx, now: EnvironmentTime, { environmentId, id, userId, state }: Decided): void {
  tx.write(sql`
    update setting_changes set state = ${state}, decided_by = ${userId}, decided_at = ${now}
    where environment_id = ${environmentId} and id = ${id} and state = 'OPEN'`)
}

type ChangeRow = typeof settingChanges.readRow & { proposedBy: string; proposerName: string }

/** At most one. */
export async function findOpenChange(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<RuleChange | null> {
  const [row] = await db.rows(sql<ChangeRow>`
    select ${settingChanges.of('c')}, c.proposed_by, u.name as proposer_name
    from setting_changes c join users u on u.id = c.proposed_by
    where c.environment_id = ${environmentId} and c.state = 'OPEN'`)
  if (!row) return null
  const { proposedBy, proposerName, ...change } = settingChanges.read(row)
  return { ...change, proposedBy: { id: proposedBy, name: proposerName } }
}

async function getOpenChange(tx: Tx, environmentId: EnvironmentId, id: string) {
  const change = await findOpenChange(tx, environmentId)
  if (change?.id === id) return change
  throw new Refusal('not_found', {
    message: 'This change no longer waits: it was confirmed, cancelled or replaced.',
  })
}

/** With one approver, every payout over the rule would wait forever. */
async function refuseTooFew(db: Queryable, environment: Environment): Promise<void> {
  const { members } = await findApprovingTeam(db, environment.id, [])
  if (members.length >= 2) return
  throw new Refusal('validation_failed', {
    reason: 'too_few_approvers',
    message: `An approval rule needs two members who may approve transfers in ${environment.mode} mode. Invite another owner, admin or finance member first.`,
  })
}

type DecimalAmount = { field: string; asset: Asset; amount: number | string | null | undefined }

/** Checks amounts of each asset, and that limits limit something, which the schema cannot. */
function refuseAmounts(approvals: Approvals): void {
  const details = [...findWrongAmounts(approvals), ...findEmptyLimits(approvals)]
  if (details.length > 0)
    throw new Refusal('validation_failed', {
      message: `${details[0]!.field} ${details[0]!.issue}.`,
      details,
    })
}

function findEmptyLimits({ controls }: Approvals): Detail[] {
  return (controls?.velocity ?? []).flatMap(({ amount, count }, index) => {
    const issue =
      'must be set if `count` is null: send the most that may be sent, or the most transfers'
    return amount === null && count === null
      ? { field: `controls.velocity.${index}.amount`, issue }
      : []
  })
}

function findWrongAmounts(approvals: Approvals): Detail[] {
  return listAmounts(approvals).flatMap(({ field, asset, amount }): Detail[] => {
    if (amount === null || amount === undefined) return []
    if (asset === 'NGN')
      return typeof amount === 'number' ? [] : [{ field, issue: 'must be a whole number of kobo' }]
    const parsed =
      typeof amount === 'string' ? parseDecimal(amount, asset) : { issue: 'must be a decimal text' }
    return typeof parsed === 'bigint' ? [] : [{ field, issue: parsed.issue }]
  })
}

function listAmounts(approvals: Approvals): DecimalAmount[] {
  const { recipients, velocity } = approvals.controls ?? { recipients: null, velocity: null }
  return [
    ...assetsWithRules.flatMap((asset) =>
      (['each', 'perDay'] as const).map((name) => ({
        field: `${asset}.${name}`,
        asset,
        amount: approvals[asset]?.[name],
      })),
    ),
    ...assetsWithRules.map((asset) => ({
      field: `controls.recipients.coolingOff.above.${asset}`,
      asset,
      amount: recipients?.coolingOff?.above[asset],
    })),
    ...(velocity ?? []).map(({ currency: asset, amount }, index) => ({
      field: `controls.velocity.${index}.amount`,
      asset,
      amount,
    })),
  ]
}
