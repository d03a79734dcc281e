import type { Environment } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { invalidField, Refusal } from '../../base/refusal.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { paymentLinkLimits } from '../limits.js'
import { drawSlug, type PaymentLink, type UsedLink } from './link.js'
import { insertLink, isSlugUsed, type LinkName, lockLink, updateLink } from './store-links.js'

/** What the merchant can change. */
export type LinkTerms = Omit<PaymentLink, 'environmentId' | 'id' | 'slug' | 'url' | 'createdAt'>

export async function createLink(
  tx: Tx,
  now: Date,
  { environment, baseUrl }: { environment: Environment; baseUrl: string },
  { slug: chosen, ...terms }: LinkTerms & { slug: string | null },
): Promise<UsedLink> {
  refuseImpossible(terms)
  const slug = chosen === null ? await findFreeSlug(tx) : await refuseUsedSlug(tx, chosen)
  const created: PaymentLink = {
    ...terms,
    environmentId: environment.id,
    id: newId(now),
    slug,
    url: `${baseUrl}/pay/${slug}`,
    createdAt: now,
  }
  insertLink(tx, created)
  return { ...created, uses: 0 }
}

export async function changeLink(
  tx: Tx,
  name: LinkName,
  change: Partial<LinkTerms>,
): Promise<UsedLink> {
  const before = await lockLink(tx, name)
  const changed = { ...before, ...change }
  refuseImpossible(changed)
  updateLink(tx, changed)
  return changed
}

/** Throws what no schema says: a change is judged together with what it leaves as it was. */
function refuseImpossible({ amount, amountMin, amountMax, fields, metadata }: LinkTerms): void {
  if (amount !== null && (amountMin !== null || amountMax !== null))
    throw invalidField('amount', 'cannot be combined with minAmount or maxAmount')
  if (amountMin !== null && amountMax !== null && amountMin > amountMax)
    throw invalidField('minAmount', 'must not exceed the maximum')
  const labels = fields.map(({ label }) => label.trim().toLowerCase())
  const repeated = labels.findIndex((label, index) => labels.indexOf(label) < index)
  if (repeated >= 0)
    throw invalidField(`fields.${repeated}.label`, 'is the label of another field already')
  if (Object.hasOwn(JSON.parse(metadata), 'answers'))
    throw invalidField('metadata', 'must not have `answers`: what payers answer is put there')
}

async function refuseUsedSlug(tx: Tx, slug: string): Promise<string> {
  if (!(await isSlugUsed(tx, slug))) return slug
  throw new Refusal('validation_failed', {
    reason: 'duplicate_reference',
    message: `slug ${slug} belongs to another payment link. Choose another one.`,
    details: invalidField('slug', 'belongs to another payment link').details,
  })
}

async function findFreeSlug(tx: Tx): Promise<string> {
  for (let drawn = 1; ; drawn += 1) {
    const slug = drawSlug()
    if (drawn === paymentLinkLimits.slugsDrawnMax || !(await isSlugUsed(tx, slug))) return slug
  }
}
