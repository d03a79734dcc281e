import Type, { type Static } from 'typebox'
import type { NairaLimits } from '../../base/config.js'
import { limits } from '../../base/limits.js'
import type { Detail } from '../../base/refusal.js'
import { withExample } from '../../base/shapes.js'
import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { BatchKind, NewItem } from '../../payouts/batches/batch.js'
import { batchLimits } from '../../payouts/limits.js'
import { csvColumnOf, linesBeforeItems, refuseItems } from './batch-csv.js'
import { type CheckedItem, checkBatchItems } from './check-batch-items.js'
import { merchantReferenceIn } from './metadata.js'
import { solanaAddress } from './read-address.js'
import { readStablecoinAmount } from './read-coins.js'
import { fromIn } from './read-paying-subaccount.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  decimalInput,
  koboInput,
  plainText,
  purposeInput,
  stablecoinInput,
} from './schemas.js'

const itemsOf = <Item extends Parameters<typeof Type.Array>[0]>(item: Item) =>
  Type.Array(item, {
    minItems: 1,
    maxItems: batchLimits.itemsMax,
    description: `The items, at most ${batchLimits.itemsMax}.`,
  })

const shortText = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.names.length,
      pattern: plainText,
      description,
      examples: [example],
    }),
  )

export const batchName = shortText('Your own name for the batch.', 'November salaries')

const bankItem = closed({
  amount: koboInput,
  bankCode: Type.String({
    pattern: bankCodePattern,
    description: 'Code of the bank, as listed by `GET /v1/banks`.',
    examples: ['058'],
  }),
  accountNumber: Type.String({
    pattern: accountNumberPattern,
    description: 'Ten-digit account number.',
    examples: ['0123456789'],
  }),
  accountName: shortText(
    'If sent, the item is refused unless it matches the name of the account: in two parts, or in one of at least three letters if only one is sent.',
    'Ada Obi',
  ),
  narration: shortText('Text that the recipient reads.', 'January salary'),
  purpose: Type.Optional(purposeInput),
  merchantReference: Type.Optional(merchantReferenceIn),
})

const cryptoItem = closed({
  amount: decimalInput,
  destinationAddress: solanaAddress,
  merchantReference: Type.Optional(merchantReferenceIn),
})

const bankBody = closed({
  kind: Type.Literal('bank_transfer', {
    description: 'Kind of the items.',
    examples: ['bank_transfer'],
  }),
  name: batchName,
  from: fromIn,
  items: itemsOf(bankItem),
})

const cryptoBody = closed({
  kind: Type.Literal('crypto_transfer', {
    description: 'Kind of the items.',
    examples: ['crypto_transfer'],
  }),
  asset: stablecoinInput,
  name: batchName,
  from: fromIn,
  items: itemsOf(cryptoItem),
})

export const batchBody = withExample(
  Type.Unsafe<Static<typeof bankBody> | Static<typeof cryptoBody>>({
    type: 'object',
    oneOf: [bankBody, cryptoBody],
    discriminator: { propertyName: 'kind' },
    required: ['kind'],
  }),
  {
    kind: 'bank_transfer',
    name: 'November salaries',
    items: [
      {
        amount: 1_250_000,
        bankCode: '058',
        accountNumber: '0123456789',
        narration: 'November salary',
        merchantReference: 'salary-2026-11-1',
      },
    ],
  },
)

export type BatchBody = Static<typeof bankBody> | Static<typeof cryptoBody>

/**
 * Checks what the schema cannot: limits of amounts, addresses, and references that must be unique.
 * All problems are reported at once, by the line of a CSV file or the index in the list.
 */
export function readBatchItems(
  body: BatchBody,
  { naira, isCsv }: { naira: NairaLimits; isCsv: boolean },
): { kind: BatchKind; asset: Asset; items: NewItem[] } {
  const { kind } = body
  const asset = kind === 'bank_transfer' ? 'NGN' : body.asset
  const issues: Detail[] = []
  const nameOf = (index: number) =>
    isCsv ? `line ${index + 1 + linesBeforeItems}` : `items.${index}`
  const report = (index: number, field: string, issue: string) =>
    issues.push({
      field: isCsv ? `${nameOf(index)}, ${csvColumnOf(kind, field)}` : `${nameOf(index)}.${field}`,
      issue,
    })
  const items = body.kind === 'bank_transfer' ? readBankItems(body) : readCryptoItems(body)
  checkBatchItems(items.map(toChecked), { limits: naira, nameOf, report })
  const total = items.reduce((sum, { amount }) => sum + amount, 0n)
  if (issues.length === 0 && total > limits.money.wireMax)
    issues.push({
      field: 'items',
      issue: `must not pay out more than ${formatMoney(limits.money.wireMax, asset)} in total`,
    })
  if (issues.length > 0) throw refuseItems(issues)
  return { kind, asset, items }
}

function toChecked({ amount, destination, merchantReference }: NewItem): CheckedItem {
  return {
    naira: destination.kind === 'bank_account' ? amount : undefined,
    address: destination.kind === 'wallet' ? destination.address : undefined,
    merchantReference: merchantReference ?? undefined,
  }
}

function readBankItems({ items }: Static<typeof bankBody>): NewItem[] {
  return items.map((item) => ({
    amount: BigInt(item.amount),
    requestedAmount: String(item.amount),
    destination: {
      kind: 'bank_account',
      bankCode: item.bankCode,
      accountNumber: item.accountNumber,
      bankName: '',
      accountName: item.accountName ?? '',
      narration: item.narration ?? null,
    },
    merchantReference: item.merchantReference ?? null,
    purpose: item.purpose ?? null,
  }))
}

function readCryptoItems({ items, asset }: Static<typeof cryptoBody>): NewItem[] {
  return items.map((item) => ({
    amount: readStablecoinAmount(item.amount, asset),
    requestedAmount: item.amount,
    destination: { kind: 'wallet', address: item.destinationAddress },
    merchantReference: item.merchantReference ?? null,
    purpose: null,
  }))
}
