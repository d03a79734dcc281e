import Type from 'typebox'
import { modes } from '../../../base/environment.js'
import { Refusal } from '../../../base/refusal.js'
import { sampleTime } from '../../../base/shapes.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

/** A notice of the sandbox bank. Every bank has its own format, which its rail parses. */
const noticeSample = {
  event: 'payment.received',
  data: {
    id: 'sbp_019b8d627a807c319f045ad2be61e0f7',
    accountNumber: '0000014572',
    currency: 'NGN',
    sender: {
      name: 'ADA OBI',
      accountNumber: '0123456789',
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
    },
    sessionId: '999999260105090000000000014572',
    narration: 'Two loaves of agege bread',
    amount: '1250000',
    paidAt: sampleTime,
  },
}

/** Receives notices of payments from banks: answers once the notice is stored. */
export const railNotices = (api: ApiParts) =>
  route({
    method: 'POST',
    path: '/rails/:rail/notices/:mode',
    access: 'signed',
    operation: 'receiveNotice',
    summary: 'Receive a payment notice',
    description:
      'For banks only. Each bank signs its notices in its own way; a notice with an invalid signature is rejected and not stored.',
    tag: 'Rails',
    params: Type.Object({
      rail: Type.String({ description: 'Name of the bank.', examples: ['sandbox-bank'] }),
      mode: Type.String({ description: '`test` or `live`.', examples: ['test'] }),
    }),
    body: Type.Object({}, { additionalProperties: true, examples: [noticeSample] }),
    answers: { 200: Type.Object({}) },
    refusals: ['authentication_failed', 'not_found'],
    async handle({ params, headers, bodyText }) {
      const mode = modes.find((known) => known === params.mode)
      const rail = mode && api.rails.bankOf(mode, params.rail)
      if (!mode || !rail) throw unknownRail()
      // The signature covers the raw bytes, not the parsed body.
      const read = rail.readNotice({ headers, body: bodyText })
      if (read.kind === 'unverified') {
        api.collections.reportForgery(rail, mode)
        throw notGenuine(rail.provider)
      }
      if (read.kind === 'payment')
        await api.collections.receiveNotice({
          rail: rail.name,
          mode,
          id: read.payment.id,
          reported: read.payment,
          body: bodyText,
        })
      if (read.kind === 'hint') {
        const { id, about } = read.hint
        await api.collections.receiveHint(rail, {
          rail: rail.name,
          mode,
          id,
          about,
          body: bodyText,
        })
      }
      return received
    },
  })

const received = success(200, 'Received', {})

function unknownRail(): Refusal {
  return new Refusal('not_found', { message: 'No bank with this name is configured in this mode.' })
}

function notGenuine(rail: string): Refusal {
  return new Refusal('authentication_failed', {
    message: `The signature is not valid for ${rail}. Use the secret that is configured for its notices.`,
  })
}
