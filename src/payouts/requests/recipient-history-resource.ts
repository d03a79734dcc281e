import Type, { type Static } from 'typebox'
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
import { transferStatus } from '../resource.js'
import type { RecipientHistory } from './recipient-history.js'

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

export function showRecipientHistory({
  count,
  isTruncated,
  totals,
  last,
  cameBack,
}: RecipientHistory): Static<typeof recipientHistory> {
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
      status: transferStatus(last),
      createdAt: last.at.toISOString(),
    },
    cameBack,
    truncated: isTruncated,
  }
}
