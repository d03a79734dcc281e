import Type from 'typebox'
import { emailPattern } from '../../../base/contact-patterns.js'
import { prefixes } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { referenceSample } from '../../../base/shapes.js'
import { type MailKind, mailKindNames } from '../../../mail/kinds.js'
import { mailLimits } from '../../../mail/limits.js'
import { type MailState, mailStates } from '../../../mail/mail.js'
import {
  mail,
  mailWithContent,
  showMail,
  showMailWithContent,
  showSuppression,
  suppression,
} from '../../../mail/resource.js'
import { getMail, mailList, openContent } from '../../../mail/store-mails.js'
import {
  removeSuppression,
  type SuppressionReason,
  suppressionList,
  suppressionReasons,
} from '../../../mail/suppressions.js'
import { auditCall } from '../../auth/audit-call.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { inPath, oneOf, timeFilters, withStatus } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

const path = '/v1/mails'
const suppressionPath = '/v1/mail-suppressions'

/** Mails name payers and balances. */
const base = {
  access: 'secret',
  tag: 'Mails',
  permission: 'settings.see',
  alsoNeeds: ['payers.see'],
  hidesBodies: true,
} as const

export function mailRoutes(api: ApiParts): Route[] {
  return [list(api), read(api), listSuppressions(api), remove(api)]
}

const list = ({ openPage, seal }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path,
    operation: 'listMails',
    summary: 'List mails',
    description:
      'Returns the mails of the last 90 days that were written for you, newest first. Send `Accept: text/csv` to export all of them.',
    title: 'Mails',
    filters: {
      status: Type.Optional(withStatus([...mailStates])),
      kind: Type.Optional(oneOf([...mailKindNames], 'Only mails of this kind.')),
      recipient: Type.Optional(
        Type.String({
          pattern: emailPattern,
          maxLength: mailLimits.addressLengthMax,
          description: 'Only mails to this address.',
          examples: ['ada@example.com'],
        }),
      ),
      ...timeFilters,
    },
    item: mail,
    columns: csvColumns(
      'reference',
      'createdAt',
      'kind',
      'status',
      'recipient',
      'subject',
      'attempts',
      'lastError',
      'sentAt',
    ),
    cursor: cursorOf(prefixes.mail),
    toFilter: ({ query }) => ({
      ...readTimeRange(query),
      state: query.status as MailState | undefined,
      kind: query.kind as MailKind | undefined,
      recipient: query.recipient,
    }),
    rows: mailList,
    show: (row) => toJson(showMail(row, openContent(seal, row))),
  })

const read = ({ db, seal }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getMail',
    summary: 'Retrieve a mail',
    description:
      'Returns the mail with its text and HTML. A link that works for whoever has it, such as that of an invitation, is left out.',
    params: inPath('reference', referenceSample(prefixes.mail)),
    answers: { 200: mailWithContent },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const found = await getMail(db, { environmentId: environment.id, reference })
      return success(200, 'Mail', showMailWithContent(found, openContent(seal, found)))
    },
  })

const listSuppressions = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path: suppressionPath,
    operation: 'listMailSuppressions',
    summary: 'List suppressed addresses',
    description:
      'Returns addresses that get none of your mails, newest first: their mailbox does not exist, a mail came back, or the recipient complained.',
    title: 'Suppressed addresses',
    filters: {
      reason: Type.Optional(oneOf([...suppressionReasons], 'Only with this reason.')),
      ...timeFilters,
    },
    item: suppression,
    columns: csvColumns('reference', 'createdAt', 'address', 'reason', 'detail'),
    cursor: cursorOf(prefixes.mailSuppression),
    toFilter: ({ query }) => ({
      ...readTimeRange(query),
      reason: query.reason as SuppressionReason | undefined,
    }),
    rows: suppressionList,
    show: (row) => toJson(showSuppression(row)),
  })

const remove = ({ db }: ApiParts) =>
  route({
    ...base,
    permission: 'settings.change',
    method: 'DELETE',
    path: `${suppressionPath}/:reference`,
    operation: 'deleteMailSuppression',
    summary: 'Send to an address again',
    description:
      'Mails to the address are sent again from now on. Mails that were suppressed are not sent.',
    params: inPath('reference', referenceSample(prefixes.mailSuppression)),
    answers: { 200: suppression },
    refusals: ['not_found'],
    async handle({ environment, params: { reference }, audited }) {
      const removed = await db.transaction(async (tx) => {
        const name = { environmentId: environment.id, reference }
        const suppressed = await removeSuppression(tx, name)
        if (audited) auditCall(tx, audited, { reference, address: suppressed.maskedAddress })
        return suppressed
      })
      return success(200, 'Suppression removed', showSuppression(removed))
    },
  })
