import Type, { type Static } from 'typebox'
import type { EnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { newId, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { type Detail, invalidField, Refusal } from '../../base/refusal.js'
import { referenceSample } from '../../base/shapes.js'
import type { AccountKind } from '../../collections/accounts/account.js'
import { collectionFeeOf, readTerms } from '../../collections/accounts/environment-terms.js'
import type { Asset } from '../../money/assets.js'
import { parsePercent, percentPattern } from '../../money/percent.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { splitLimits } from '../../subaccounts/limits.js'
import { checkExpected, checkLines, type SplitIssue } from '../../subaccounts/splits/check-split.js'
import type { FeeBearer } from '../../subaccounts/splits/compute-split.js'
import type {
  ChosenSplit,
  ReleasedLine,
  Split,
  SplitTerms,
} from '../../subaccounts/splits/split.js'
import { findSplitRule } from '../../subaccounts/splits/store-splits.js'
import { findNamedSubaccounts, type NamedSubaccount } from '../../subaccounts/store-subaccounts.js'
import { refuseUnseen } from '../auth/refuse-unseen.js'
import { withoutWait } from '../auth/waiting-keys.js'
import type { RouteRequest } from '../server/route.js'
import { readStablecoinAmount } from './read-coins.js'
import { readTime, timeIn } from './read-time.js'
import { closed, decimalInput, koboInput } from './schemas.js'

const referenceIn = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 64, description, examples: [example] })

const lineAmount = (description: string, example: number) =>
  Type.Optional(
    Type.Union([koboInput, decimalInput], {
      description: `${description} An integer in kobo for NGN; a decimal string for coins.`,
      examples: [example],
    }),
  )

const lineIn = closed({
  subaccount: referenceIn(
    'The sub-account that gets the share. Several lines may name the same one.',
    referenceSample(prefixes.subaccount),
  ),
  flat: lineAmount('A fixed share. A line has one of `flat`, `percent` and `remainder`.', 50_000),
  percent: Type.Optional(
    Type.String({
      pattern: percentPattern,
      description:
        'A share in percent of the accepted amount, with up to two decimals, rounded down to the smallest unit. All lines together have at most 100.',
      examples: ['12.5'],
    }),
  ),
  remainder: Type.Optional(
    Type.Literal(true, {
      description: 'All that the other lines leave. Only the last line can have it.',
      examples: [true],
    }),
  ),
  min: lineAmount('The smallest share of a `flat` or `percent` line.', 10_000),
  max: lineAmount('The largest share of a `flat` or `percent` line.', 500_000),
  releaseAt: Type.Optional(timeIn('Keeps the share pending until then.')),
  releaseAfterDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: splitLimits.releaseDaysMax,
      description: 'Keeps the share pending for so many days after the payment.',
      examples: [7],
    }),
  ),
})

/** The lines of a rule, or of a split that is sent with an account. */
export const linesIn = Type.Array(lineIn, {
  minItems: 1,
  maxItems: splitLimits.linesMax,
  description: `What sub-accounts get, at most ${splitLimits.linesMax} lines. They apply in order: each gets at most what those before it leave, and you get the rest.`,
  examples: [
    [
      {
        subaccount: referenceSample(prefixes.subaccount),
        percent: '12.5',
        min: 10_000,
        releaseAfterDays: 7,
      },
    ],
  ],
})

export const feeBearerIn = Type.Optional(
  referenceIn(
    'Who bears the fee: `merchant` (the default; then the fee is set aside before lines are applied), `subaccounts` or `all` in proportion to their shares, or the reference of a sub-account of the lines.',
    'merchant',
  ),
)

/** `splits` of an account, wallet, checkout session or preview. */
export const splitsIn = Object.assign(
  closed({
    rule: Type.Optional(
      referenceIn(
        'Reference of a split rule, whose newest version is used. Send either this or `lines`.',
        referenceSample(prefixes.splitRule),
      ),
    ),
    feeBearer: feeBearerIn,
    lines: Type.Optional(linesIn),
  }),
  {
    description:
      'What sub-accounts get of each payment: a saved rule, or lines. Lines of an account need the permission `subaccounts.change`.',
  },
)

/** Of an account that is created. Examples are without it: few accounts are split. */
export const ownSplitsIn = Type.Optional(Object.assign({ ...splitsIn }, { 'x-left-out': true }))

type SentLine = Static<typeof lineIn>
type SentTerms = { feeBearer?: string | undefined; lines: SentLine[] }

/** What a split is for. */
export type SplitScope = {
  environmentId: EnvironmentId
  now: EnvironmentTime
  /** Null: any asset. */
  asset: Asset | null
  /** The payment that is expected; null: any amount. */
  expected: { amount: bigint; kind: AccountKind } | null
}

/**
 * Reads `splits`: finds the rule, or checks the lines and makes a split that must be inserted
 * (`isNew`). Throws one refusal that names every line that is wrong, and why.
 */
export async function readSplits(
  db: Queryable,
  sent: Static<typeof splitsIn>,
  scope: SplitScope,
): Promise<ChosenSplit> {
  const { rule, feeBearer, lines } = sent
  if ((rule === undefined) === (lines === undefined))
    throw invalidField('splits', 'must have either `rule` or `lines`')
  if (lines !== undefined) {
    const { environmentId, now } = scope
    const terms = await readSplitTerms(db, { feeBearer, lines }, scope, 'splits.')
    const split = { ...terms, environmentId, id: newId(now), rule: null, createdAt: now }
    return { split, isNew: true }
  }
  if (feeBearer !== undefined)
    throw invalidField('splits.feeBearer', 'cannot be sent together with `rule`, which has its own')
  return { split: await readRule(db, rule!, scope), isNew: false }
}

type SplittingRequest = Pick<
  RouteRequest<{ splits?: Static<typeof splitsIn> }, unknown, unknown>,
  'environment' | 'now' | 'body' | 'permissions' | 'actor' | 'apiKey'
>

/**
 * The same for an account that is created; undefined if none is sent. Callers who may create
 * accounts may use the rules of the merchant. Lines of their own could send money of a seller
 * elsewhere, so these need the permission that rules need. A sub-account may be settled without a
 * member, so keys whose payouts wait send neither.
 */
export async function chooseSplit(
  db: Queryable,
  request: SplittingRequest,
  { asset, expected }: Pick<SplitScope, 'asset' | 'expected'>,
): Promise<ChosenSplit | undefined> {
  const { environment, now, body, permissions } = request
  const { splits } = body
  if (splits === undefined) return undefined
  if (request.apiKey?.payoutsWait)
    throw withoutWait('`splits` would send money to sub-accounts at once.')
  if (splits.lines !== undefined && !permissions.has('subaccounts.change'))
    throw refuseUnseen(request, 'subaccounts.change')
  return readSplits(db, splits, { environmentId: environment.id, now, asset, expected })
}

/** Checks a rule again: a sub-account may have been closed since, and the amount is new. */
async function readRule(db: Queryable, reference: string, scope: SplitScope): Promise<Split> {
  const { environmentId, asset } = scope
  const refuse = (issue: string) => invalidField('splits.rule', issue)
  const found = await findSplitRule(db, { environmentId, reference })
  if (!found) throw refuse(unknownName('split rule'))
  const { split } = found
  if (split.asset !== null && split.asset !== asset)
    throw refuse(`is for payments in ${split.asset}, not for ${asset ?? 'every asset'}`)
  const names = split.lines.map(({ subaccountId }) =>
    toReference(prefixes.subaccount, subaccountId),
  )
  const subaccounts = await findNamedSubaccounts(db, environmentId, names)
  const issues = [...checkSubaccounts(names, subaccounts), ...(await checkFit(db, split, scope))]
  const [first] = issues
  if (first) throw refuse(`cannot be used: ${first.field} ${first.issue}`)
  return split
}

/** Reads the terms of a rule, or of a split that is sent with an account. Throws refusals. */
export async function readSplitTerms(
  db: Queryable,
  sent: SentTerms,
  scope: SplitScope,
  prefix = '',
): Promise<SplitTerms> {
  const names = sent.lines.map(({ subaccount }) => subaccount)
  const subaccounts = await findNamedSubaccounts(db, scope.environmentId, names)
  const shapeIssues = sent.lines.flatMap((line, index) => checkShape(line, index, scope))
  const issues = [...shapeIssues, ...checkSubaccounts(names, subaccounts)]
  if (!isFeeBearer(sent))
    issues.push({
      field: 'feeBearer',
      issue: 'must be merchant, subaccounts, all, or a sub-account of the lines',
    })
  // Lines of the wrong shape cannot be read.
  if (issues.length > 0) throw refuseSplit(issues, prefix)
  const lines = sent.lines.map((line) => toLine(line, subaccounts, scope.asset))
  issues.push(...checkLines(lines, scope.asset))
  const terms = { asset: scope.asset, feeBearer: toFeeBearer(sent, subaccounts), lines }
  if (issues.length === 0) issues.push(...(await checkFit(db, terms, scope)))
  if (issues.length > 0) throw refuseSplit(issues, prefix)
  return terms
}

/** Whether the expected payment can give each line what it names, with the fee of today. */
async function checkFit(
  db: Queryable,
  { lines, feeBearer }: Pick<SplitTerms, 'lines' | 'feeBearer'>,
  { environmentId, asset, expected }: SplitScope,
): Promise<SplitIssue[]> {
  if (expected === null || asset === null) return []
  const { amount, kind } = expected
  if (feeBearer !== 'merchant') return checkExpected(lines, { amount, asset, fee: 0n })
  const terms = await readTerms(db, [{ environmentId, kind }])
  const fee = collectionFeeOf(terms.of({ environmentId }), kind, amount)
  return checkExpected(lines, { amount, asset, fee })
}

/** What the schema of a line cannot say: which fields belong together, and the unit of amounts. */
function checkShape(line: SentLine, index: number, { asset, now }: SplitScope): SplitIssue[] {
  const issues: SplitIssue[] = []
  const report = (name: string, issue: string) =>
    issues.push({ field: `lines.${index}.${name}`, issue })
  const shares = (['flat', 'percent', 'remainder'] as const).filter((name) => line[name])
  const [share, ...others] = shares
  if (share === undefined)
    issues.push({
      field: `lines.${index}`,
      issue: 'must have `flat`, `percent` or `remainder`',
    })
  for (const other of others)
    report(other, `cannot be sent together with \`${share}\`; send one of them`)
  for (const name of ['flat', 'min', 'max'] as const) {
    const amount = line[name]
    if (amount === undefined) continue
    const isMisplaced = name !== 'flat' && share === 'remainder'
    const issue = isMisplaced ? 'cannot be sent with `remainder`' : unitIssue(amount, asset)
    if (issue) report(name, issue)
  }
  const { releaseAt, releaseAfterDays } = line
  if (releaseAt === undefined) return issues
  if (releaseAfterDays !== undefined)
    report('releaseAfterDays', 'cannot be sent together with `releaseAt`; send one of them')
  if (readTime(`lines.${index}.releaseAt`, releaseAt) <= now)
    report('releaseAt', 'must be in the future')
  return issues
}

function unitIssue(amount: number | string, asset: Asset | null): string | undefined {
  if (asset === null)
    return 'needs an asset; a split of any asset can only have `percent` and `remainder`'
  if (asset === 'NGN' && typeof amount !== 'number') return 'must be an integer in kobo'
  if (asset !== 'NGN' && typeof amount !== 'string')
    return `must be a decimal string of ${asset}, such as "25.50"`
  return undefined
}

function checkSubaccounts(
  references: string[],
  subaccounts: Map<string, NamedSubaccount>,
): SplitIssue[] {
  return references.flatMap((reference, index) => {
    const field = `lines.${index}.subaccount`
    const found = subaccounts.get(reference)
    if (!found) return [{ field, issue: unknownName('sub-account') }]
    if (found.status !== 'CLOSED') return []
    return [{ field, issue: 'names a closed sub-account; choose one that is not closed' }]
  })
}

export function unknownName(what: string): string {
  return `names no ${what}; check the reference and the mode of your API key`
}

const groups = ['merchant', 'subaccounts', 'all'] as const

function isFeeBearer({ feeBearer = 'merchant', lines }: SentTerms): boolean {
  const isGroup = groups.some((group) => group === feeBearer)
  return isGroup || lines.some(({ subaccount }) => subaccount === feeBearer)
}

function toFeeBearer(
  { feeBearer = 'merchant' }: SentTerms,
  subaccounts: Map<string, NamedSubaccount>,
): FeeBearer {
  const group = groups.find((name) => name === feeBearer)
  return group ?? { subaccountId: subaccounts.get(feeBearer)!.id }
}

function toLine(
  line: SentLine,
  subaccounts: Map<string, NamedSubaccount>,
  asset: Asset | null,
): ReleasedLine {
  const read = (amount: number | string | undefined) => {
    if (amount === undefined) return null
    return typeof amount === 'number' ? BigInt(amount) : readStablecoinAmount(amount, asset!)
  }
  const { subaccount, percent, releaseAt } = line
  return {
    subaccountId: subaccounts.get(subaccount)!.id,
    flat: read(line.flat),
    basisPoints: percent === undefined ? null : parsePercent(percent),
    min: read(line.min),
    max: read(line.max),
    releaseAt: releaseAt === undefined ? null : readTime('releaseAt', releaseAt),
    releaseAfterDays: line.releaseAfterDays ?? null,
  }
}

function refuseSplit(issues: SplitIssue[], prefix: string): Refusal {
  const details = issues
    .slice(0, limits.http.detailsShownMax)
    .map(({ field, issue }): Detail => ({ field: prefix + field, issue }))
  return new Refusal('validation_failed', {
    message: `${details.map(({ field, issue }) => `${field} ${issue}`).join('; ')}.`,
    details,
  })
}
