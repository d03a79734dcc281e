import { randomBytes } from 'node:crypto'
import { base32crockford } from '@scure/base'
import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { type JsonText, joinObjects, toJson } from '../../base/json-text.js'
import type { Coin } from '../../money/assets.js'
import { column, Table } from '../../postgres/table.js'

/** What a payer is asked. */
export type LinkField = { label: string; required: boolean }

export const paymentLinks = new Table('payment_links', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  /** The end of its URL; no other link of any merchant has it. */
  slug: column.text(),
  url: column.text(),
  description: column.text(),
  /** In kobo; null: the payer chooses, within the bounds if there are any. */
  amount: column.int8().orNull(),
  amountMin: column.int8().orNull(),
  amountMax: column.int8().orNull(),
  /** Payers may pay in this coin instead, at the rate of the moment. */
  cryptoAsset: column.text<Coin>().orNull(),
  fields: column.json<LinkField[]>(),
  usesMax: column.int4().orNull(),
  isActive: column.bool(),
  expiresAt: column.time().orNull(),
  successUrl: column.text().orNull(),
  metadata: column.jsonText(),
  createdAt: column.time(),
})

/** A page on which anyone can pay a merchant, again and again. Each use is a session. */
export type PaymentLink = typeof paymentLinks.row

/** A use is a session that was paid. */
export type UsedLink = PaymentLink & { uses: number }

export const linkStatuses = ['active', 'inactive', 'expired', 'sold_out'] as const

export type LinkStatus = (typeof linkStatuses)[number]

/** Only an active link makes new sessions. Those that it has made can still be paid. */
export function linkStatus(link: UsedLink, now: Date): LinkStatus {
  if (!link.isActive) return 'inactive'
  if (link.expiresAt !== null && link.expiresAt <= now) return 'expired'
  return link.usesMax !== null && link.uses >= link.usesMax ? 'sold_out' : 'active'
}

export function linkReference({ id }: Pick<PaymentLink, 'id'>): string {
  return toReference(prefixes.paymentLink, id)
}

/** Words of small letters and digits, joined by hyphens. */
export const slugPattern = '^[a-z0-9]+(?:-[a-z0-9]+)*$'

/** Eight characters. A link is public, so it need not be hard to guess. */
export function drawSlug(): string {
  return base32crockford.encode(randomBytes(5)).toLowerCase()
}

/** What a session of the link keeps: the metadata of the link, and what the payer answered. */
export function sessionMetadata(
  { metadata }: Pick<PaymentLink, 'metadata'>,
  answers: Record<string, string>,
): JsonText {
  if (Object.keys(answers).length === 0) return metadata
  const own = toJson({ answers })
  const isEmpty = Object.keys(JSON.parse(metadata)).length === 0
  return isEmpty ? own : joinObjects(metadata, own)
}
