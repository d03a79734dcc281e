import Type from 'typebox'
import { prefixes, toReference } from '../../../base/ids.js'
import { reference, resource } from '../../../base/shapes.js'
import { getSettings } from '../../../merchants/settings/settings.js'
import { Settings } from '../../../merchants/settings/settings-document.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

const { displayName, colour, logo } = Settings.properties.checkout.properties

const answer = resource('Profile', {
  merchant: Type.Object({
    id: reference(prefixes.merchant, 'Identifies the merchant.'),
    displayName,
  }),
  mode: Type.Enum(['test', 'live'], { examples: ['test'] }),
  checkout: Type.Object({ colour, logo }),
  paymentMethods: Settings.properties.paymentMethods,
})

export const profile = ({ db }: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/profile',
    access: 'any_key',
    permission: 'payments.see',
    operation: 'getProfile',
    summary: 'Retrieve the public profile',
    description: 'Returns what a page may show about the merchant. Accepts public keys.',
    tag: 'Settings',
    answers: { 200: answer },
    async handle({ environment }) {
      const { checkout, paymentMethods } = await getSettings(db, environment)
      return success(200, 'Profile', {
        merchant: {
          id: toReference(prefixes.merchant, environment.merchantId),
          displayName: checkout.displayName,
        },
        mode: environment.mode,
        checkout: { colour: checkout.colour, logo: checkout.logo },
        paymentMethods,
      })
    },
  })
