import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { notYet, referenceSample, resource, text } from '../../../base/shapes.js'
import { listLimits } from '../../../postgres/limits.js'
import { hidesPayers } from '../../../team/actor.js'
import { resourceKinds } from '../../../team/seen-with.js'
import { closed, plainText } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'
import { findHits, hitKinds } from './find-hits.js'

const searchHit = resource('SearchHit', {
  kind: Type.Enum([...hitKinds], { description: 'What it is.', examples: ['payment'] }),
  reference: text(referenceSample(prefixes.payment), 'Identifies it in its own operations.'),
  title: text('₦12,500.00 from ADA OBI', 'One line for people.'),
  subtitle: text('order-1001 · 2026-01-05T09:00:00.000Z', 'A second line for people.'),
  status: notYet(Type.String(), 'Its state; null if it has none.'),
})

export const search = ({ openPage }: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/search',
    access: 'secret',
    permission: 'payments.see',
    operation: 'search',
    summary: 'Search everything',
    description: `Finds up to ${listLimits.hitsMax} resources that the caller may see by reference, your own reference, account number, wallet, session id, transaction signature, e-mail address or words of a name. Filters narrow it: \`payer:chuka\`, \`recipient:ada\`, \`order:order-1001\`, \`status:held\`, \`amount:12500\` (naira). Quotes keep words together.`,
    tag: 'Search',
    query: closed({
      q: Type.String({
        minLength: 1,
        maxLength: listLimits.searchLengthMax,
        pattern: plainText,
        description: 'What to look for.',
        examples: ['chuka'],
      }),
    }),
    answers: { 200: Type.Object({ items: Type.Array(searchHit) }) },
    isHeavy: true,
    shows: resourceKinds,
    async handle({ environment, query, actor, permissions }) {
      const { db } = openPage(undefined)
      return success(200, 'Search results', {
        items: await findHits(db, environment.id, {
          typed: query.q,
          hidesPayers: hidesPayers(actor),
          permissions,
        }),
      })
    },
  })
