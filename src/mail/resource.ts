import Type, { type Static } from 'typebox'
import { toIsoText } from '../base/clock.js'
import { prefixes, toReference } from '../base/ids.js'
import { notYet, orNull, reference, resource, text, timestamp } from '../base/shapes.js'
import type { MailContent } from './content.js'
import { mailKindNames } from './kinds.js'
import { type Mail, mailStates } from './mail.js'
import { renderHtml } from './render-html.js'
import { renderText } from './render-text.js'
import { type Suppression, suppressionReasons } from './suppressions.js'

export const mail = resource('Mail', {
  reference: reference(prefixes.mail, 'Identifies the mail. Its Message-ID starts with it.'),
  kind: Type.Enum([...mailKindNames], {
    description: 'What the mail is for.',
    examples: ['receipt'],
  }),
  status: Type.Enum([...mailStates], {
    description:
      '`WAITING`: not sent yet. `KEPT`: not sent, because there is no mail relay, or because test mode sends to `mails.testAddresses` only. `SENT`: accepted by the mail relay. `FAILED`: refused, or not accepted in time. `SUPPRESSED`: the address gets no mail.',
    examples: ['SENT'],
  }),
  recipient: text('ada@example.com', 'E-mail address of the recipient.'),
  subject: text('Receipt from Ada Stores', 'Subject of the mail.'),
  attempts: Type.Integer({ description: 'How often it was handed to the relay.', examples: [1] }),
  lastError: notYet(
    text('451 Try again later', 'What the relay answered last; null if it accepted the mail.'),
  ),
  createdAt: timestamp('When the mail was written.'),
  sentAt: notYet(timestamp('When the relay accepted it; null until then.')),
})

/** With what it says. */
export const mailWithContent = resource('MailWithContent', {
  ...mail.properties,
  text: orNull(
    text('Thank you for your payment.', 'The plain text.'),
    'The plain text. Links that work for whoever has them are left out.',
  ),
  html: orNull(
    text('<!doctype html>…', 'The HTML.'),
    'The HTML. Links that work for whoever has them are left out.',
  ),
})

export const suppression = resource('MailSuppression', {
  reference: reference(prefixes.mailSuppression, 'Identifies the suppression.'),
  address: text('a**@example.com', 'The address, masked.'),
  reason: Type.Enum([...suppressionReasons], {
    description:
      '`no_mailbox`: the relay answered that the mailbox does not exist. `bounce`: the mail came back. `complaint`: the recipient reported it as spam.',
    examples: ['bounce'],
  }),
  detail: orNull(text('550 5.1.1 No such user'), 'What the relay reported.'),
  createdAt: timestamp('When the address was suppressed.'),
})

export function showMail(shown: Mail, content: MailContent): Static<typeof mail> {
  const { id, kind, state, recipient, attempts, lastError, createdAt, endedAt } = shown
  return {
    reference: toReference(prefixes.mail, id),
    kind,
    status: state,
    recipient,
    subject: content.subject,
    attempts,
    lastError,
    createdAt: toIsoText(createdAt),
    sentAt: state === 'SENT' ? toIsoText(endedAt!) : null,
  }
}

/** `seesSecrets`: only for operators, who run the service that would send the links. */
export function showMailWithContent(
  shown: Mail,
  content: MailContent,
  { seesSecrets = false } = {},
): Static<typeof mailWithContent> {
  const read = seesSecrets ? content : withoutSecrets(content)
  return {
    ...showMail(shown, content),
    text: renderText(read),
    html: renderHtml(read, { hasLogo: false }),
  }
}

function withoutSecrets(content: MailContent): MailContent {
  const blocks = content.blocks.map((block) =>
    block.type === 'button' && block.isSecret
      ? ({
          type: 'note',
          text: `${block.label}: the link is shown to the recipient only.`,
        } as const)
      : block,
  )
  return { ...content, blocks }
}

export function showSuppression(shown: Suppression): Static<typeof suppression> {
  return {
    reference: toReference(prefixes.mailSuppression, shown.id),
    address: shown.maskedAddress,
    reason: shown.reason,
    detail: shown.detail,
    createdAt: toIsoText(shown.createdAt),
  }
}
