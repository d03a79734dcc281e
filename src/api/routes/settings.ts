import { getSettings, patchSettings } from '../../merchants/settings.js'
import { Settings, SettingsPatch } from '../../merchants/settings-document.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
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
      'Returns policies, checkout appearance, low-balance thresholds, payment methods and settlement schedule of this environment.',
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
    operation: 'changeSettings',
    summary: 'Update settings',
    description: 'Changes only the fields you send. Lists are replaced as a whole.',
    tag: 'Settings',
    body: SettingsPatch,
    answers: { 200: Settings },
    async handle({ environment, body, now }) {
      const settings = await db.transaction((tx) => patchSettings(tx, now, environment, body))
      return success(200, 'Settings updated', settings)
    },
  })
