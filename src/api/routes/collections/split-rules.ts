import Type from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { notFound } from '../../../base/refusal.js'
import { anyAsset, orNull, referenceSample, withDescription } from '../../../base/shapes.js'
import { splitLimits } from '../../../subaccounts/limits.js'
import {
  createSplitRule,
  createSplitRuleVersion,
} from '../../../subaccounts/splits/create-split-rule.js'
import { showSplitRule, splitRule } from '../../../subaccounts/splits/resource.js'
import {
  findSplitRule,
  lockSplitRule,
  splitRuleList,
} from '../../../subaccounts/splits/store-splits.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { feeBearerIn, linesIn, readSplitTerms } from '../../parse/read-splits.js'
import { closed, inPath, plainText, timeFilters } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { cursorOf } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

const path = '/v1/split-rules'
const params = inPath('reference', referenceSample(prefixes.splitRule))
const base = { access: 'secret', tag: 'Splits' } as const
const change = {
  stopsWhenSuspended: true,
  permission: 'subaccounts.change',
  stepUp: 'live',
} as const

export function splitRuleRoutes(api: ApiParts): Route[] {
  return [create(api), list(api), read(api), createVersion(api)]
}

const create = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    ...change,
    operation: 'createSplitRule',
    summary: 'Create a split rule',
    description:
      'Saves who gets what of a payment, for accounts, wallets and checkout sessions to name. Percentages are rounded down to the smallest unit; the remainder, and what rounding leaves, is for the remainder line, or else for you.',
    body: closed({
      name: Type.String({
        minLength: 1,
        maxLength: splitLimits.nameLengthMax,
        pattern: plainText,
        description: 'Your name for the rule.',
        examples: ['Marketplace'],
      }),
      asset: Type.Optional(
        orNull(
          withDescription(anyAsset, undefined),
          'The asset of `flat`, `min` and `max`. A rule that has none of them can leave it out, and then fits every asset.',
        ),
      ),
      feeBearer: feeBearerIn,
      lines: linesIn,
    }),
    answers: { 201: splitRule },
    async handle(request) {
      const { environment, now, body } = request
      const { name, asset = null, feeBearer, lines } = body
      const environmentId = environment.id
      const scope = { environmentId, now, asset, expected: null }
      return api.change(
        request,
        async (tx) => {
          const terms = await readSplitTerms(tx, { feeBearer, lines }, scope)
          return createSplitRule(tx, now, { environmentId, name, terms })
        },
        (rule) => success(201, 'Split rule created', showSplitRule(rule)),
      )
    },
  })

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path,
    permission: 'subaccounts.see',
    operation: 'listSplitRules',
    summary: 'List split rules',
    description: 'Returns split rules in their newest versions; the newest rule comes first.',
    title: 'Split rules',
    filters: timeFilters,
    item: splitRule,
    cursor: cursorOf(prefixes.splitRule),
    toFilter: ({ query }) => readTimeRange(query),
    rows: splitRuleList,
    show: (rule) => toJson(showSplitRule(rule)),
  })

const read = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
    permission: 'subaccounts.see',
    operation: 'getSplitRule',
    summary: 'Retrieve a split rule',
    description: 'Returns the newest version of the rule, or the one in `version`.',
    params,
    query: closed({
      version: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: splitLimits.versionMax,
          description: 'An earlier version.',
          examples: [1],
        }),
      ),
    }),
    answers: { 200: splitRule },
    refusals: ['not_found'],
    async handle({ environment, params: { reference }, query: { version } }) {
      const name = { environmentId: environment.id, reference }
      const rule = await findSplitRule(db, name, version)
      if (rule) return success(200, 'Split rule', showSplitRule(rule))
      const isKnown = version !== undefined && (await findSplitRule(db, name))
      throw notFound(isKnown ? `version ${version} of split rule` : 'split rule', reference)
    },
  })

const createVersion = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:reference/versions`,
    ...change,
    operation: 'createSplitRuleVersion',
    summary: 'Change a split rule',
    description:
      'Creates a version of the rule with these lines. Accounts that exist keep the version that they were created with; new ones get this one. Name and asset stay.',
    params,
    body: closed({ feeBearer: feeBearerIn, lines: linesIn }),
    answers: { 201: splitRule },
    refusals: ['not_found'],
    async handle(request) {
      const { environment, now, body, params } = request
      const name = { environmentId: environment.id, reference: params.reference }
      return api.change(
        request,
        async (tx) => {
          const rule = await lockSplitRule(tx, name)
          const { environmentId, asset } = rule
          const scope = { environmentId, now, asset, expected: null }
          const terms = await readSplitTerms(tx, body, scope)
          return createSplitRuleVersion(tx, now, rule, terms)
        },
        (rule) => success(201, 'Split rule changed', showSplitRule(rule)),
      )
    },
  })
