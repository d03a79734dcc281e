import Type from 'typebox'
import { modes } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { route } from '../edge/route.js'

/** As a bank could write it; each does so in its own way, and its rail reads that. */
const noticeSample = {
  id: '019b8d627a807c319f045ad2be61e0f7',
  accountNumber: '0000014572',
  amount: '1250000',
  currency: 'NGN',
  paidAt: '2026-01-05T09:00:00.000Z',
}

/** Where banks tell us of payments. Kept first, then answered, then judged. */
export const railNotices = (rooms: ApiParts) =>
  route({
    method: 'POST',
    path: '/rails/:rail/notices/:mode',
    access: 'signed',
    operation: 'receiveNotice',
    summary: 'A bank tells of a payment',
    description:
      'For banks only: each signs in its own way. What is not genuine is refused and forgotten.',
    tag: 'Rails',
    params: Type.Object({
      rail: Type.String({ description: 'The bank.', examples: ['sandbox-bank'] }),
      mode: Type.String({ description: '`test` or `live`.', examples: ['test'] }),
    }),
    body: Type.Object({}, { additionalProperties: true, examples: [noticeSample] }),
    answers: { 200: Type.Object({}) },
    refusals: ['authentication_failed', 'not_found'],
    async handle({ params, headers, bodyText: body }) {
      const mode = modes.find((one) => one === params.mode)
      const rail = mode && rooms.collections.rails[mode]
      if (!rail || rail.name !== params.rail) throw unknownRail()
      const read = rail.readMessage({ headers, body })
      if (read.kind === 'not_genuine') throw notGenuine(rail.name)
      if (read.kind === 'announced') {
        const { announced } = read
        const name = { rail: rail.name, mode, id: announced.id }
        rooms.collections.takeSoon(await rooms.collections.keepNotice({ ...name, announced, body }))
      }
      return success(200, 'Received', {})
    },
  })

function unknownRail(): Refusal {
  return new Refusal('not_found', { message: 'No such bank sends notices here.' })
}

function notGenuine(rail: string): Refusal {
  return new Refusal('authentication_failed', {
    message: `The signature is not one of ${rail}. Sign the raw body with the key for notices.`,
  })
}
