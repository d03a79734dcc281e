import Type from 'typebox'
import type { EnvironmentId } from '../../../base/environment.js'
import { fromReference, prefixes, toReference, unusedId } from '../../../base/ids.js'
import { invalidField } from '../../../base/refusal.js'
import {
  notYet,
  reference,
  referenceSample,
  resource,
  text,
  timestamp,
  withDescription,
} from '../../../base/shapes.js'
import { Approvals } from '../../../merchants/settings/settings-document.js'
import { approvers, showApprover } from '../../../payouts/approvals/approver-resource.js'
import {
  type ChangedRule,
  cancelRuleChange,
  changeRule,
  confirmRuleChange,
  findConfirmers,
  findOpenChange,
  type RuleChange,
} from '../../../payouts/approvals/change-rule.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import type { UserActor } from '../../../team/actor.js'
import { findEndpointKeys } from '../../../webhooks/endpoints/endpoint.js'
import { readUrl } from '../../../webhooks/endpoints/read-url.js'
import { auditCall } from '../../auth/audit-call.js'
import { inPath } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

/** A looser rule that waits for a second member, as the console shows it. */
const settingChange = resource('SettingChange', {
  id: reference(prefixes.settingChange, 'Identifies the change.'),
  approvals: Approvals,
  before: Approvals,
  proposedBy: Type.Object({
    id: reference(prefixes.user, 'Identifies the member.'),
    name: text('Ada Obi', 'Name of the member.'),
  }),
  createdAt: timestamp('When it was proposed.'),
  expiresAt: timestamp('It cannot be confirmed afterwards.'),
  confirmers: Type.Optional(
    withDescription(approvers, 'Owners and admins who may confirm it. Only in the list.'),
  ),
})

const changedRule = resource('ApprovalRule', {
  approvals: Approvals,
  change: notYet(settingChange, 'The looser rule that waits for a second member.'),
})

const base = { access: 'user', tag: 'Settings' } as const
const params = inPath('id', referenceSample(prefixes.settingChange))

/** For members only: an API key could loosen the rule that holds it. */
export function approvalRuleRoutes(api: ApiParts): Route[] {
  return [change(api), list(api), confirm(api), cancel(api)]
}

const change = ({ db, allowsLoopbackWebhooks }: ApiParts) =>
  route({
    ...base,
    method: 'PATCH',
    path: '/v1/settings/approvals',
    permission: 'approvals.change',
    stepUp: 'always',
    operation: 'changeApprovalRule',
    summary: 'Change the approval rule',
    description:
      'A stricter rule applies at once. A looser one waits until another owner or admin confirms it.',
    body: Approvals,
    answers: { 200: changedRule },
    async handle(request) {
      const { environment, body, now } = request
      const { userId, name } = request.actor as UserActor
      const callback = body.controls?.callback
      if (callback) readUrl(callback.url, environment.mode, allowsLoopbackWebhooks)
      const changed = await db.transaction(async (tx) => {
        const outcome = await changeRule(tx, now, environment, {
          approvals: body,
          user: { id: userId, name },
        })
        if (callback) await refuseUnknownEndpoint(tx, environment.id, callback.signedBy)
        auditCall(tx, request.audited, {
          before: outcome.before,
          after: body,
          isProposed: outcome.change !== null,
        })
        return outcome
      })
      const message = changed.change ? 'The rule waits for a second member' : 'Rule changed'
      return success(200, message, show(changed))
    },
  })

/** Under the lock of the environment, which a deletion of the endpoint takes, too. */
async function refuseUnknownEndpoint(
  db: Queryable,
  environmentId: EnvironmentId,
  reference: string,
): Promise<void> {
  if (await findEndpointKeys(db, { environmentId, reference })) return
  throw invalidField('controls.callback.signedBy', 'is not one of your webhook endpoints')
}

const list = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/settings/changes',
    permission: 'settings.see',
    operation: 'listSettingChanges',
    summary: 'List changes of settings that wait for a second member',
    description: 'Returns the change that waits, if there is one.',
    answers: { 200: Type.Object({ items: Type.Array(settingChange) }) },
    async handle({ environment, now }) {
      const open = await findOpenChange(db, environment.id)
      if (!open) return success(200, 'Changes', { items: [] })
      const confirmers = await findConfirmers(db, environment.id, open)
      const shown = confirmers.map((confirmer) => showApprover(confirmer, now))
      return success(200, 'Changes', { items: [{ ...showChange(open), confirmers: shown }] })
    },
  })

const confirm = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: '/v1/settings/changes/:id/confirm',
    permission: 'settings.change',
    stepUp: 'always',
    operation: 'confirmSettingChange',
    summary: 'Confirm a looser approval rule',
    description: 'Applies a rule that another member proposed.',
    params,
    answers: { 200: changedRule },
    async handle(request) {
      const changed = await db.transaction(async (tx) => {
        const outcome = await confirmRuleChange(tx, request.now, nameOf(request))
        const callback = outcome.approvals.controls?.callback
        if (callback) await refuseUnknownEndpoint(tx, request.environment.id, callback.signedBy)
        auditCall(tx, request.audited, { before: outcome.before, after: outcome.approvals })
        return outcome
      })
      return success(200, 'Rule changed', show(changed))
    },
  })

const cancel = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'DELETE',
    path: '/v1/settings/changes/:id',
    permission: 'settings.change',
    operation: 'cancelSettingChange',
    summary: 'Cancel a looser approval rule',
    description: 'The rule stays as it is.',
    params,
    answers: { 200: Type.Object({}) },
    async handle(request) {
      await db.transaction(async (tx) => {
        await cancelRuleChange(tx, request.now, nameOf(request))
        auditCall(tx, request.audited, {})
      })
      return success(200, 'Change cancelled', {})
    },
  })

type ChangeRequest = Pick<RouteRequest<unknown, unknown, unknown>, 'environment' | 'actor' | 'now'>

function nameOf({
  environment,
  params: { id },
  actor,
}: ChangeRequest & { params: { id: string } }) {
  return {
    environment,
    id: fromReference(prefixes.settingChange, id) ?? unusedId,
    userId: (actor as UserActor).userId,
  }
}

function show({ approvals, change: waiting }: ChangedRule) {
  return { approvals, change: waiting && showChange(waiting) }
}

function showChange({ id, approvals, before, proposedBy, createdAt, expiresAt }: RuleChange) {
  return {
    id: toReference(prefixes.settingChange, id),
    approvals,
    before,
    proposedBy: { id: toReference(prefixes.user, proposedBy.id), name: proposedBy.name },
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}
