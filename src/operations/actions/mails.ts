import Type from 'typebox'
import { newId, prefixes, toReference } from '../../base/ids.js'
import { invalidField, notFound } from '../../base/refusal.js'
import { mailLimits } from '../../mail/limits.js'
import { mailStates } from '../../mail/mail.js'
import { type NewMail, queueMails } from '../../mail/queue-mails.js'
import { showMail, showMailWithContent, showSuppression } from '../../mail/resource.js'
import { findMail, listAllMails, openContent } from '../../mail/store-mails.js'
import { listCommonSuppressions, removeSuppression } from '../../mail/suppressions.js'
import { auditOperator } from '../changes/audit-operator.js'
import { type Action, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'

const reference = { reference: fields.text('reference of the mail, mail_…') }

/** Mails of all merchants, and of users and operators. */
export const mailActions: Action[] = [
  command({
    name: 'mail list',
    description: 'list mails, newest first',
    input: {
      state: Type.Optional(Type.Enum([...mailStates], { description: 'only in this state' })),
    },
    async run({ db, seal }, { state }) {
      const found = await listAllMails(db, { state, limit: mailLimits.listedMax })
      const data = found.map((mail) => showMail(mail, openContent(seal, mail)))
      const columns = {
        reference: 'reference',
        kind: 'kind',
        status: 'status',
        recipient: 'recipient',
        subject: 'subject',
        attempts: 'attempts',
        error: 'lastError',
        created: 'createdAt',
      } as const
      return { data, text: tableOf(data, columns, { empty: 'No mails.' }) }
    },
  }),
  command({
    name: 'mail show',
    description: 'print a mail, with its links',
    args: ['reference'],
    input: reference,
    async run({ db, seal, now, operator }, { reference }) {
      const mail = await findMail(db, reference)
      if (!mail) throw notFound('mail', reference)
      const data = showMailWithContent(mail, openContent(seal, mail), { seesSecrets: true })
      // The links in a mail may let the reader act as its recipient.
      await db.transaction(async (tx) =>
        auditOperator(tx, now, operator, { action: 'mail.show', details: { reference } }),
      )
      const head = `To: ${data.recipient}\nSubject: ${data.subject}\nStatus: ${data.status}`
      return { data, text: `${head}\n\n${data.text}` }
    },
  }),
  command({
    name: 'mail send-test',
    description: 'queue a mail to an address, to test the mail relay',
    args: ['address'],
    input: { address: fields.text('e-mail address of the recipient') },
    async run({ db, now, operator }, { address }) {
      const id = await db.transaction(async (tx) => {
        const [queued] = queueMails(tx, now, [writeTest(newId(now), address)])
        if (!queued) throw invalidField('address', 'must be an e-mail address')
        auditOperator(tx, now, operator, { action: 'mail.send_test', details: { address } })
        return queued
      })
      const data = { reference: toReference(prefixes.mail, id) }
      const text = `${data.reference} will be sent by a worker. See what became of it: manilla mail show ${data.reference}`
      return { data, text }
    },
  }),
  command({
    name: 'mail suppressions',
    description: 'list addresses that get no mail of any merchant, newest first',
    async run({ db }) {
      const data = (await listCommonSuppressions(db)).map(showSuppression)
      const columns = {
        reference: 'reference',
        address: 'address',
        reason: 'reason',
        detail: 'detail',
        since: 'createdAt',
      } as const
      return { data, text: tableOf(data, columns, { empty: 'No suppressed addresses.' }) }
    },
  }),
  command({
    name: 'mail unsuppress',
    description: 'send mails to an address again',
    args: ['suppression'],
    input: { suppression: fields.text('reference of the suppression, sup_…') },
    async run({ db, now, operator }, { suppression }) {
      const removed = await db.transaction(async (tx) => {
        const name = { environmentId: null, reference: suppression }
        const { maskedAddress } = await removeSuppression(tx, name)
        const details = { suppression, address: maskedAddress }
        auditOperator(tx, now, operator, { action: 'mail.unsuppress', details })
        return details
      })
      return { data: removed, text: `${removed.address} gets mails again.` }
    },
  }),
]

function writeTest(causeId: string, recipient: string): NewMail {
  return {
    environmentId: null,
    mode: 'live',
    kind: 'test',
    causeId,
    recipient,
    content: {
      subject: 'Manilla: test of the mail relay',
      sender: null,
      heading: 'Mails arrive',
      blocks: [
        {
          type: 'paragraph',
          text: 'This mail was handed to your relay by a worker of this Manilla service. If it was sorted out as spam, check SPF, DKIM and DMARC of the sender at your relay.',
        },
      ],
      reason: 'Sent because an operator of this Manilla service tested its mail relay.',
    },
  }
}
