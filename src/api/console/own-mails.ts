import Type from 'typebox'
import { optionalKinds } from '../../mail/kinds.js'
import { listPreferences, setPreference } from '../../mail/preferences.js'
import { closed } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { success } from '../server/envelope.js'
import { type Route, route } from '../server/route.js'
import { ownBase } from './own-account.js'
import { auditUser, visitOf } from './visit.js'

const path = '/console/session/mail-preferences'

/** Which mails users get themselves. */
export function ownMailRoutes(api: ApiParts): Route[] {
  return [list(api), change(api)]
}

const list = ({ db }: ApiParts) =>
  route({
    ...ownBase,
    method: 'GET',
    path,
    operation: 'listMailPreferences',
    summary: 'List your mail preferences',
    description: 'Kinds of mail that you can switch off for yourself.',
    async handle({ signedIn }) {
      return success(200, 'Mail preferences', { items: await listPreferences(db, signedIn!) })
    },
  })

const change = (api: ApiParts) =>
  route({
    ...ownBase,
    method: 'PATCH',
    path,
    operation: 'changeMailPreference',
    summary: 'Switch a kind of mail on or off',
    description: 'Applies to you alone, at all merchants.',
    body: closed({ kind: Type.Enum([...optionalKinds]), isOn: Type.Boolean() }),
    async handle(request) {
      const { signedIn, realNow: now, body } = request
      const { userId, email } = signedIn!
      const items = await api.db.transaction(async (tx) => {
        setPreference(tx, now, { userId, kind: body.kind, isOn: body.isOn })
        auditUser(tx, visitOf(api, request), {
          by: signedIn,
          email,
          action: 'mail_preference.change',
          details: { kind: body.kind, isOn: body.isOn },
        })
        return listPreferences(tx, signedIn!)
      })
      return success(200, 'Mail preferences', { items })
    },
  })
