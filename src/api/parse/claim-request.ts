import Type, { type Static } from 'typebox'
import { after, day } from '../../base/clock.js'
import { emailPattern } from '../../base/contact-patterns.js'
import { limits } from '../../base/limits.js'
import { invalidField } from '../../base/refusal.js'
import { claimLimits } from '../../payouts/limits.js'
import { readTimeTo, timeIn } from './read-time.js'
import { plainText } from './schemas.js'

/** What a merchant says about a claim, whatever money it is for. */

export const claimDescriptionIn = Type.String({
  minLength: 1,
  maxLength: claimLimits.descriptionLengthMax,
  pattern: plainText,
  description: 'Why the recipient gets it. The page shows it.',
  examples: ['Refund of order 1001'],
})

export const claimTermsIn = {
  recipientName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.names.length,
      pattern: plainText,
      description: 'Name of the recipient. The page greets them with it.',
      examples: ['Ada Obi'],
    }),
  ),
  email: Type.Optional(
    Type.String({
      maxLength: limits.checkout.emailLengthMax,
      pattern: emailPattern,
      description: 'Where to send the link. Without it, send the link yourself.',
      examples: ['ada@example.com'],
    }),
  ),
  secretWord: Type.Optional(
    Type.String({
      minLength: claimLimits.wordLengthMin,
      maxLength: claimLimits.wordLengthMax,
      pattern: plainText,
      description:
        'A word that the recipient must know to claim the money. Case matters, blanks around it do not. Tell it to them by another way than the link. It is stored as a hash.',
      examples: ['harmattan'],
    }),
  ),
  expiresAt: Type.Optional(
    timeIn(
      `Until when it can be claimed. A date includes that day in Lagos. Default: in ${claimLimits.expiresAfterMs / day} days; at most in a year.`,
    ),
  ),
}

type SentTerms = { [Field in keyof typeof claimTermsIn]?: Static<(typeof claimTermsIn)[Field]> }

/** `field` names what contains the terms, such as `claim.`. The secret word is not hashed yet. */
export function readClaimTerms(sent: SentTerms, now: Date, field = '') {
  return {
    recipientName: sent.recipientName ?? null,
    email: sent.email ?? null,
    secretWord: readSecretWord(sent.secretWord, `${field}secretWord`),
    expiresAt: readExpiry(sent.expiresAt, now, `${field}expiresAt`),
  }
}

/** Trimmed, as the page trims what the recipient enters. */
function readSecretWord(sent: string | undefined, field: string): string | null {
  if (sent === undefined) return null
  const word = sent.trim()
  if (word.length >= claimLimits.wordLengthMin) return word
  throw invalidField(
    field,
    `must have at least ${claimLimits.wordLengthMin} characters without surrounding blanks`,
  )
}

function readExpiry(text: string | undefined, now: Date, field: string): Date {
  if (text === undefined) return after(now, claimLimits.expiresAfterMs)
  const expiresAt = readTimeTo(field, text)
  if (expiresAt <= now) throw invalidField(field, 'must be in the future')
  if (expiresAt > after(now, claimLimits.expiresAfterMaxMs))
    throw invalidField(field, 'must be at most a year ahead')
  return expiresAt
}
