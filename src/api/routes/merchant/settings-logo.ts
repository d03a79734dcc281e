import Type from 'typebox'
import { Refusal } from '../../../base/refusal.js'
import { settingsLimits } from '../../../merchants/limits.js'
import { readLogo } from '../../../merchants/settings/read-logo.js'
import { patchSettings } from '../../../merchants/settings/settings.js'
import { auditCall } from '../../auth/audit-call.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

/** For members of the merchant. Programs send the logo as a `data:` URL with the settings. */
export const uploadLogo = ({ db }: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/settings/logo',
    access: 'user',
    permission: 'settings.change',
    fileBytesMax: settingsLimits.logoBytesMax,
    hidesBodies: true,
    operation: 'uploadLogo',
    summary: 'Upload the logo of the checkout page',
    description: 'The body is a PNG.',
    tag: 'Console',
    body: Type.Unsafe<Buffer>(Type.Any()),
    answers: {},
    async handle(request) {
      const { environment, body, now } = request
      if (!Buffer.isBuffer(body))
        throw new Refusal('validation_failed', { message: 'The logo must be a PNG image.' })
      const logo = readLogo(body)
      const settings = await db.transaction(async (tx) => {
        const changed = await patchSettings(tx, now, environment, { checkout: { logo } })
        const details = { logoBytes: body.length }
        auditCall(tx, request.audited, details)
        return changed
      })
      return success(200, 'Logo stored', settings)
    },
  })
