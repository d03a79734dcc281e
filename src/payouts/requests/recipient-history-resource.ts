import Type from 'typebox'
import { prefixes } from '../../base/ids.js'
import {
  anyAmount,
  anyAsset,
  flag,
  notYet,
  reference,
  resource,
  text,
  timestamp,
  withDescription,
} from '../../base/shapes.js'
import { toWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'

const integer = (example: number, description: string) =>
  Type.Integer({ description, examples: [example] })

export const recipientHistory = resource('RecipientHistory', {
  count: integer(4, 'Transfers to the recipient that arrived or are on their way.'),
  totals: Type.Array(
    Type.Object({
      currency: anyAsset,
      count: integer(4, 'Transfers in this currency.'),
      total: withDescription(anyAmount, 'Sum of these transfers.'),
      largest: withDescription(anyAmount, 'The largest of them.'),
    }),
    { description: 'By currency; only those that were paid.' },
  ),
  last: notYet(
    Type.Object({
      reference: reference(prefixes.bankTransfer, 'Identifies the transfer.'),
      amount: anyAmount,
      currency: anyAsset,
      status: text('COMPLETED', 'Status of the transfer.'),
      createdAt: timestamp('When the transfer was created.'),
    }),
    'The latest transfer; null if there is none.',
  ),
  cameBack: integer(0, 'Transfers that failed or that the bank returned.'),
  truncated: flag(false, 'Whether older transfers were left out.'),
})

type Fields = {
  count: number
  isTruncated: boolean
  totals: { asset: Asset; count: number; total: bigint; largest: bigint }[]
  last: { reference: string; amount: bigint; asset: Asset; status: string; at: Date } | null
  cameBack: number
}

export function showRecipientHistory({ count, isTruncated, totals, last, cameBack }: Fields) {
  return {
    count,
    totals: totals.map(({ asset, count: ofAsset, total, largest }) => ({
      currency: asset,
      count: ofAsset,
      total: toWire(total, asset),
      largest: toWire(largest, asset),
    })),
    last: last && {
      reference: last.reference,
      amount: toWire(last.amount, last.asset),
      currency: last.asset,
      status: last.asset !== 'NGN' && last.status === 'COMPLETED' ? 'CONFIRMED' : last.status,
      createdAt: last.at.toISOString(),
    },
    cameBack,
    truncated: isTruncated,
  }
}
