import Type from 'typebox'
import { changedFields } from '../../../audit/changed-fields.js'
import { lockEnvironment } from '../../../merchants/environments.js'
import {
  aboutDefaultCustomer,
  DefaultCustomer,
  getDefaultCustomer,
  maskCustomer,
  patchDefaultCustomer,
} from '../../../merchants/settings/default-customer.js'
import { getSettings, patchSettings } from '../../../merchants/settings/settings.js'
import { Settings, SettingsPatch } from '../../../merchants/settings/settings-document.js'
import {
  announceDestination,
  readSettlementDestination,
} from '../../../payouts/settlements/destination.js'
import { auditCall } from '../../auth/audit-call.js'
import { withReasons } from '../../openapi/refusals-of.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

const closed = { additionalProperties: false }

const ofDedicatedAccounts = { ...closed, description: 'Settings of dedicated accounts.' }
const ofDefaultCustomer = { ...closed, description: aboutDefaultCustomer }

/** The default customer is stored apart from the other settings, sealed. */
const ShownSettings = Type.Object(
  {
    ...Settings.properties,
    dedicatedAccounts: Type.Object({ defaultCustomer: DefaultCustomer }, ofDedicatedAccounts),
  },
  { ...closed, title: 'Settings' },
)

const SettingsChange = Type.Object(
  {
    ...SettingsPatch.properties,
    dedicatedAccounts: Type.Optional(
      Type.Object(
        { defaultCustomer: Type.Optional(Type.Partial(DefaultCustomer, ofDefaultCustomer)) },
        ofDedicatedAccounts,
      ),
    ),
  },
  { ...closed, examples: [{ policies: { bank: { underpayment: 'hold' } } }] },
)

function showSettings(settings: Settings, customer: DefaultCustomer) {
  return { ...settings, dedicatedAccounts: { defaultCustomer: maskCustomer(customer) } }
}

export const readSettings = ({ db, seal }: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/settings',
    access: 'secret',
    permission: 'settings.see',
    operation: 'getSettings',
    summary: 'Retrieve settings',
    description:
      'Returns policies, checkout appearance, low-balance thresholds, payment methods, settlement schedule and default customer of this environment, and its approval rule.',
    tag: 'Settings',
    answers: { 200: ShownSettings },
    async handle({ environment }) {
      const customer = await getDefaultCustomer(db, seal, environment.id)
      return success(200, 'Settings', showSettings(await getSettings(db, environment), customer))
    },
  })

export const changeSettings = ({ db, seal }: ApiParts) =>
  route({
    method: 'PATCH',
    path: '/v1/settings',
    access: 'secret',
    permission: 'settings.change',
    // The response has all settings.
    alsoNeeds: ['settings.see'],
    operation: 'changeSettings',
    summary: 'Update settings',
    description: 'Changes only the fields you send. Lists are replaced as a whole.',
    tag: 'Settings',
    body: SettingsChange,
    answers: { 200: ShownSettings },
    refusals: withReasons('forbidden', 'console_only'),
    async handle({ environment, body, now, realNow, audited }) {
      const { dedicatedAccounts, ...patch } = body
      const settings = await db.transaction(async (tx) => {
        await lockEnvironment(tx, environment.id)
        const before = audited && (await getSettings(tx, environment))
        const destination = body.settlement && (await readSettlementDestination(tx, environment))
        const changed = await patchSettings(tx, now, environment, patch)
        if (destination) await announceDestination(tx, realNow, environment, destination)
        const sent = dedicatedAccounts?.defaultCustomer
        const sealed = { seal, environmentId: environment.id }
        const customer = sent
          ? await patchDefaultCustomer(tx, now, sealed, sent)
          : await getDefaultCustomer(tx, seal, environment.id)
        // Without values: audit lines are never deleted, and are not sealed.
        const named = sent && { defaultCustomer: Object.keys(sent) }
        if (before) auditCall(tx, audited, { ...changedFields(before, changed), ...named })
        return showSettings(changed, customer)
      })
      return success(200, 'Settings updated', settings)
    },
  })
