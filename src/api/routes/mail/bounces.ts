import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import type { RealTime } from '../../../base/clock.js'
import { emailPattern, plainText } from '../../../base/contact-patterns.js'
import type { EnvironmentId } from '../../../base/environment.js'
import { prefixes } from '../../../base/ids.js'
import { Refusal } from '../../../base/refusal.js'
import type { Secret } from '../../../base/secret.js'
import { referenceSample } from '../../../base/shapes.js'
import { mailLimits } from '../../../mail/limits.js'
import { findMail } from '../../../mail/store-mails.js'
import { suppress } from '../../../mail/suppressions.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import { closed } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

const bounce = closed({
  address: Type.String({
    pattern: emailPattern,
    maxLength: mailLimits.addressLengthMax,
    description: 'The address that the mail was sent to.',
    examples: ['gone@example.com'],
  }),
  reason: Type.Enum(['bounce', 'complaint'], {
    type: 'string',
    description:
      '`bounce`: the mail came back for good. `complaint`: the recipient reported it as spam.',
    examples: ['bounce'],
  }),
  messageId: Type.Optional(
    Type.String({
      maxLength: 300,
      pattern: plainText,
      description:
        'Message-ID of the mail. With it, the address is suppressed for the merchant of the mail; without it, for all.',
      examples: [`<${referenceSample(prefixes.mail)}@pay.example.com>`],
    }),
  ),
  detail: Type.Optional(
    Type.String({
      maxLength: 1_000,
      pattern: plainText,
      description: 'What the receiving server answered.',
      examples: ['550 5.1.1 No such user'],
    }),
  ),
})

type Bounce = Static<typeof bounce>

const bounces = Type.Array(bounce, {
  minItems: 1,
  maxItems: mailLimits.bouncesPerCallMax,
  description: 'Mails that came back, or that recipients complained about.',
})

/** Notices of the mail relay: such addresses get no more mail. A repeat changes nothing. */
export const receiveBounces = ({ db, seal, mailBounceSecret }: ApiParts) =>
  route({
    method: 'POST',
    path: '/mail/bounces',
    access: 'signed',
    operation: 'receiveBounces',
    summary: 'Receive bounces',
    description:
      'For the mail relay only. The header `Mail-Signature` has the form `t=<seconds since 1970>,v1=<hex>`: the HMAC-SHA256 of the time, a dot and the body, with `MAIL_BOUNCE_SECRET`. It is valid for five minutes.',
    tag: 'Mails',
    // Bodies of signed calls are read after the signature was checked, so nothing is required here.
    body: Type.Object({ items: Type.Optional(bounces) }),
    answers: {
      200: Type.Object({
        suppressed: Type.Integer({
          description: 'How many addresses were added; the others were suppressed already.',
          examples: [1],
        }),
      }),
    },
    refusals: ['authentication_failed', 'not_found'],
    async handle({ headers, bodyText, realNow: now }) {
      if (!mailBounceSecret)
        throw new Refusal('not_found', {
          message: 'Bounces are not accepted here. Set MAIL_BOUNCE_SECRET.',
        })
      if (!isGenuine({ headers, bodyText, secret: mailBounceSecret, now }))
        throw new Refusal('authentication_failed', {
          message:
            'The signature in Mail-Signature is missing, wrong, or older than five minutes. Sign with MAIL_BOUNCE_SECRET.',
        })
      const items = readBounces(bodyText)
      const suppressed = await db.transaction(async (tx) => {
        let added = 0
        for (const item of sortByAddress(items)) {
          const { address, reason, detail = null } = item
          const environmentId = await findEnvironment(tx, item)
          if (await suppress(tx, now, seal, { environmentId, address, reason, detail })) added += 1
        }
        return added
      })
      return success(200, 'Received', { suppressed })
    },
  })

function readBounces(bodyText: string): Bounce[] {
  const body: unknown = parseOrNull(bodyText)
  if (Check(closed({ items: bounces }), body)) return body.items
  throw new Refusal('validation_failed', {
    message: `The body must be an object with 1 to ${mailLimits.bouncesPerCallMax} \`items\`, each with an \`address\` and a \`reason\`: bounce or complaint.`,
    details: [{ field: 'items', issue: 'must list bounces' }],
  })
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Two notices at once with the same addresses do not wait for each other in a circle. */
function sortByAddress(items: Bounce[]): Bounce[] {
  return [...items].sort((a, b) => (a.address < b.address ? -1 : 1))
}

type SignedCall = {
  headers: IncomingHttpHeaders
  bodyText: string
  secret: Secret
  now: RealTime
}

function isGenuine({ headers, bodyText, secret, now }: SignedCall): boolean {
  const header = headers['mail-signature']
  const [, time, hex] =
    /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(typeof header === 'string' ? header : '') ?? []
  if (time === undefined || hex === undefined) return false
  const expected = createHmac('sha256', secret.reveal()).update(`${time}.${bodyText}`).digest()
  const isSigned = timingSafeEqual(expected, Buffer.from(hex, 'hex'))
  const isRecent = Math.abs(now.getTime() - Number(time) * 1_000) <= mailLimits.bounceAgeMaxMs
  return isSigned && isRecent
}

/** The merchant of the mail, if the Message-ID is one of ours and was sent to the address. */
async function findEnvironment(
  db: Queryable,
  { messageId, address }: Bounce,
): Promise<EnvironmentId | null> {
  const [, reference] = /^<?([a-z0-9_]+)@/.exec(messageId ?? '') ?? []
  const mail = reference ? await findMail(db, reference) : undefined
  const isOurs = mail?.recipient.toLowerCase() === address.toLowerCase()
  return mail && isOurs ? mail.environmentId : null
}
