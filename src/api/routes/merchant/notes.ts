import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import {
  flag,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  time,
  timestamp,
} from '../../../base/shapes.js'
import { getCase } from '../../../cases/store-cases.js'
import { getPayment } from '../../../collections/payments/find-payments.js'
import { getPayout } from '../../../payouts/records/find-payouts.js'
import type { UserActor } from '../../../team/actor.js'
import { noteLimits } from '../../../team/limits.js'
import {
  listNotes,
  type Note,
  type NoteSubject,
  withdrawNote,
  writeNote,
} from '../../../team/notes.js'
import { closed, inPath, linesOfText } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

const note = resource('Note', {
  reference: reference(prefixes.note, 'Identifies the note.'),
  text: orNull(text('The customer called about it'), 'Null if the author has withdrawn it.'),
  author: text('Emeka Obi', 'Who wrote it.'),
  isOwn: flag(true, 'Whether you wrote it, so that you can withdraw it.'),
  createdAt: timestamp('When it was written.'),
  withdrawnAt: orNull(time, 'When it was withdrawn; null otherwise.'),
})

/**
 * Notes are written and read by members, so API keys have no access to them. Their text is in no
 * log and no stored answer: a note that is withdrawn is gone.
 */
export function noteRoutes(api: ApiParts): Route[] {
  return [
    ...routesOf(api, {
      path: '/v1/collections/payments/:reference',
      sees: 'payments.see',
      name: 'Payment',
      example: referenceSample(prefixes.payment),
      find: (name) => getPayment(api.db, name),
    }),
    ...routesOf(api, {
      path: '/v1/disbursements/:reference',
      sees: 'payouts.see',
      name: 'Disbursement',
      example: referenceSample(prefixes.bankTransfer),
      find: async (name) => (await getPayout(api.db, name)).payout,
    }),
    ...routesOf(api, {
      path: '/v1/cases/:reference',
      sees: 'cases.see',
      name: 'Case',
      example: referenceSample(prefixes.case),
      find: (name) => getCase(api.db, name),
    }),
  ]
}

type Subject = {
  path: string
  sees: 'payments.see' | 'payouts.see' | 'cases.see'
  name: 'Payment' | 'Disbursement' | 'Case'
  example: string
  find: (name: {
    environmentId: NoteSubject['environmentId']
    reference: string
  }) => Promise<NoteSubject>
}

function routesOf(api: ApiParts, { path, sees, name, example, find }: Subject): Route[] {
  const base = { access: 'user', tag: 'Console', hidesBodies: true } as const
  const writes = { ...base, method: 'POST', permission: 'notes.write', alsoNeeds: [sees] } as const
  const params = inPath('reference', example)
  const subjectOf = ({ environment, params: { reference } }: Named) =>
    find({ environmentId: environment.id, reference })

  const list = route({
    ...base,
    method: 'GET',
    path: `${path}/notes`,
    permission: sees,
    operation: `list${name}Notes`,
    summary: 'List the notes of the team',
    description: 'Newest first. Of a withdrawn note, the text is missing.',
    params,
    answers: { 200: Type.Object({ items: Type.Array(note) }) },
    async handle(request) {
      const notes = await listNotes(api.db, await subjectOf(request))
      return success(200, 'Notes', { items: notes.map((note) => show(note, request)) })
    },
  })

  const write = route({
    ...writes,
    path: `${path}/notes`,
    operation: `write${name}Note`,
    summary: 'Write a note',
    description:
      'Everyone in the team who sees the payment, payout or case can read it. Payers cannot.',
    params,
    body: closed({
      text: linesOfText(noteLimits.lengthMax, {
        examples: ['The customer called about it'],
      }),
    }),
    answers: { 201: Type.Pick(note, ['reference']) },
    async handle(request) {
      const subject = await subjectOf(request)
      const { userId: id, name } = request.actor as UserActor
      const { text } = request.body
      return api.change(
        request,
        (tx, now) => writeNote(tx, now, subject, { author: { id, name }, text }),
        (written) => {
          const { reference } = written
          return success(201, 'Note written', { reference })
        },
      )
    },
  })

  const withdraw = route({
    ...writes,
    path: `${path}/notes/:note/withdraw`,
    operation: `withdraw${name}Note`,
    summary: 'Withdraw a note of your own',
    description: 'Removes its text. That there was a note stays visible.',
    params: Type.Object({
      ...params.properties,
      ...inPath('note', referenceSample(prefixes.note)).properties,
    }),
    answers: { 200: note },
    async handle(request) {
      const subject = await subjectOf(request)
      const { userId } = request.actor as UserActor
      const { note: reference } = request.params
      return api.change(
        request,
        (tx, now) => withdrawNote(tx, now, subject, { reference, userId }),
        (withdrawn) => success(200, 'Note withdrawn', show(withdrawn, request)),
      )
    },
  })
  return [list, write, withdraw]
}

type Named = Pick<RouteRequest<unknown, unknown, { reference: string }>, 'environment' | 'params'>

function show(
  { reference, author, text, createdAt, withdrawnAt }: Note,
  { actor }: Pick<RouteRequest<unknown, unknown, unknown>, 'actor'>,
) {
  return {
    reference,
    text,
    author: author.name,
    isOwn: author.id === (actor as UserActor).userId,
    createdAt: createdAt.toISOString(),
    withdrawnAt: withdrawnAt?.toISOString() ?? null,
  }
}
