import { changedFields } from '../../audit/changed-fields.js'
import { lockEnvironment } from '../../merchants/environments.js'
import { getSettings, patchSettings } from '../../merchants/settings.js'
import { Settings, SettingsPatch } from '../../merchants/settings-document.js'
import type { ApiParts } from '../api-parts.js'
import { auditCall } from '../edge/audit-call.js'
import { success } from '../edge/envelope.js'
import { withReasons } from '../edge/refusals-of.js'
import { route } from '../edge/route.js'

export const readSettings = ({ db }: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/settings',
    access: 'secret',
    permission: 'settings.see',
    operation: 'getSettings',
    summary: 'Retrieve settings',
    description:
      'Returns policies, checkout appearance, low-balance thresholds, payment methods and settlement schedule of this environment, and its approval rule.',
    tag: 'Settings',
    answers: { 200: Settings },
    async handle({ environment }) {
      return success(200, 'Settings', await getSettings(db, environment))
    },
  })

export const changeSettings = ({ db }: ApiParts) =>
  route({
    method: 'PATCH',
    path: '/v1/settings',
    access: 'secret',
    permission: 'settings.change',
    // It answers with all of them.
    alsoNeeds: 'settings.see',
    operation: 'changeSettings',
    summary: 'Update settings',
    description: 'Changes only the fields you send. Lists are replaced as a whole.',
    tag: 'Settings',
    body: SettingsPatch,
    answers: { 200: Settings },
    refusals: withReasons('forbidden', 'console_only'),
    async handle({ environment, body, now, audited }) {
      const settings = await db.transaction(async (tx) => {
        if (audited) await lockEnvironment(tx, environment.id)
        const before = audited && (await getSettings(tx, environment))
        const changed = await patchSettings(tx, now, environment, body)
        if (before) auditCall(tx, audited, changedFields(before, changed))
        return changed
      })
      return success(200, 'Settings updated', settings)
    },
  })
