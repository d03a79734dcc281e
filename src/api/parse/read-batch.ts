import Type, { type Static } from 'typebox'
import type { NairaLimits } from '../../base/config.js'
import type { Environment } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import type { Detail } from '../../base/refusal.js'
import { withExample } from '../../base/shapes.js'
import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { BatchKind, NewItem } from '../../payouts/batches/batch.js'
import { batchLimits } from '../../payouts/limits.js'
import type { Destination } from '../../payouts/ports.js'
import {
  destinationOfRecipient,
  type Recipient,
  recipientReference,
} from '../../payouts/recipients/recipient.js'
import { findRecipients, findRecipientsOf } from '../../payouts/recipients/store-recipients.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { csvColumnOf, linesBeforeItems, refuseItems } from './batch-csv.js'
import { type CheckedItem, checkBatchItems } from './check-batch-items.js'
import { merchantReferenceIn } from './metadata.js'
import { solanaAddress } from './read-address.js'
import { readStablecoinAmount } from './read-coins.js'
import { fromIn } from './read-paying-subaccount.js'
import {
  accountNumberIn,
  bankCodeIn,
  findChoiceIssue,
  findKindIssue,
  type RecipientChoice,
  recipientIn,
} from './read-recipient.js'
import {
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
  bankCode: Type.Optional(bankCodeIn),
  accountNumber: Type.Optional(accountNumberIn),
  recipient: recipientIn('bank account', '`bankCode` and `accountNumber`'),
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
  destinationAddress: Type.Optional(solanaAddress),
  recipient: recipientIn('wallet', '`destinationAddress`'),
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

/** An item as it was sent: it names a destination, or a saved recipient. */
export type SentItem = Omit<NewItem, 'destination' | 'recipientId'> & {
  narration: string | null
} & ({ destination: Destination } | { recipient: string })

/** An issue of an item, by its index. */
type ItemIssue = { index: number; field: string; issue: string }

export type SentItems = {
  kind: BatchKind
  asset: Asset
  items: SentItem[]
  /** Names an item by its line of a CSV file, or by its index in the list. */
  toDetail: (issue: ItemIssue) => Detail
}

/**
 * Checks what the schema cannot: limits of amounts, destinations, saved recipients, and references
 * that must be unique. Throws one refusal for all problems.
 */
export async function readBatchItems(
  db: Queryable,
  environment: Environment,
  body: BatchBody,
  { naira, isCsv }: { naira: NairaLimits; isCsv: boolean },
): Promise<SentItems> {
  const { kind } = body
  const asset = kind === 'bank_transfer' ? 'NGN' : body.asset
  const issues: ItemIssue[] = []
  const nameOf = (index: number) =>
    isCsv ? `line ${index + 1 + linesBeforeItems}` : `items.${index}`
  const toDetail = ({ index, field, issue }: ItemIssue) => ({
    field: isCsv ? `${nameOf(index)}, ${csvColumnOf(kind, field)}` : `${nameOf(index)}.${field}`,
    issue,
  })
  const report = (index: number, field: string, issue: string) =>
    issues.push({ index, field, issue })
  for (const [index, choice] of choicesOf(body).entries()) {
    const found = findChoiceIssue(choice)
    if (found) report(index, found.field, found.issue)
  }
  const items = body.kind === 'bank_transfer' ? readBankItems(body) : readCryptoItems(body)
  const checked = items.map((item) => toChecked(item, asset))
  checkBatchItems(checked, { limits: naira, nameOf, report })
  const total = items.reduce((sum, { amount }) => sum + amount, 0n)
  const named = items.map((item) => ('recipient' in item ? item.recipient : undefined))
  issues.push(...(await findRecipientIssues(db, environment, kind, named)))
  const details = issues.toSorted((a, b) => a.index - b.index).map(toDetail)
  if (details.length === 0 && total > limits.money.wireMax)
    details.push({
      field: 'items',
      issue: `must not pay out more than ${formatMoney(limits.money.wireMax, asset)} in total`,
    })
  if (details.length > 0) throw refuseItems(details)
  return { kind, asset, items, toDetail }
}

function choicesOf(body: BatchBody): RecipientChoice[] {
  return body.kind === 'bank_transfer'
    ? body.items.map(({ recipient, bankCode, accountNumber, accountName }) => ({
        recipient,
        fields: { bankCode, accountNumber },
        others: { accountName },
      }))
    : body.items.map(({ recipient, destinationAddress }) => ({
        recipient,
        fields: { destinationAddress },
      }))
}

function toChecked(item: SentItem, asset: Asset): CheckedItem {
  const { amount, merchantReference } = item
  const destination = 'destination' in item ? item.destination : undefined
  return {
    naira: asset === 'NGN' ? amount : undefined,
    address: destination?.kind === 'wallet' ? destination.address || undefined : undefined,
    merchantReference: merchantReference ?? undefined,
  }
}

function readBankItems({ items }: Static<typeof bankBody>): SentItem[] {
  return items.map((item) => {
    const { bankCode = '', accountNumber = '', accountName = '', narration = null } = item
    const read = {
      amount: BigInt(item.amount),
      requestedAmount: String(item.amount),
      merchantReference: item.merchantReference ?? null,
      purpose: item.purpose ?? null,
      narration,
    }
    if (item.recipient !== undefined) return { ...read, recipient: item.recipient }
    const account = { bankCode, accountNumber, accountName, bankName: '', narration }
    return { ...read, destination: { kind: 'bank_account', ...account } }
  })
}

function readCryptoItems({ items, asset }: Static<typeof cryptoBody>): SentItem[] {
  return items.map((item) => {
    const read = {
      amount: readStablecoinAmount(item.amount, asset),
      requestedAmount: item.amount,
      merchantReference: item.merchantReference ?? null,
      purpose: null,
      narration: null,
    }
    if (item.recipient !== undefined) return { ...read, recipient: item.recipient }
    const { destinationAddress: address = '' } = item
    return { ...read, destination: { kind: 'wallet', address } }
  })
}

/**
 * Completes items with their saved recipients, also those whose account or wallet was sent itself.
 * Throws one refusal for all that are unknown, disabled or of another kind by now.
 */
export async function completeItems(
  db: Queryable,
  environment: Environment,
  { kind, items, toDetail }: SentItems,
): Promise<NewItem[]> {
  const references = items.map((item) => ('recipient' in item ? item.recipient : undefined))
  const named = await readNamed(db, environment, references)
  const issues = judgeNamed(named, kind, references)
  if (issues.length > 0) throw refuseItems(issues.map(toDetail))
  const sent = items.flatMap((item) => ('destination' in item ? [item.destination] : []))
  const saved =
    environment.hasRecipients === false || sent.length === 0
      ? []
      : await findRecipientsOf(db, environment.id, sent)
  const byDestination = new Map(sent.map((destination, index) => [destination, saved[index]]))
  return items.map(({ narration, ...rest }): NewItem => {
    if ('destination' in rest)
      return { ...rest, recipientId: byDestination.get(rest.destination)?.id ?? null }
    const { recipient: reference, ...others } = rest
    const found = named.get(reference)!
    return {
      ...others,
      destination: destinationOfRecipient(found, narration),
      recipientId: found.id,
    }
  })
}

/** Finds items that name a saved recipient that is unknown, disabled or of another kind. */
export async function findRecipientIssues(
  db: Queryable,
  environment: Environment,
  kind: BatchKind,
  references: (string | undefined)[],
): Promise<ItemIssue[]> {
  return judgeNamed(await readNamed(db, environment, references), kind, references)
}

function judgeNamed(
  named: Map<string, Recipient>,
  kind: BatchKind,
  references: (string | undefined)[],
): ItemIssue[] {
  const wanted = kind === 'bank_transfer' ? 'bank_account' : 'wallet'
  return references.flatMap((reference, index) => {
    if (reference === undefined) return []
    const found = named.get(reference)
    const issue = found
      ? (findKindIssue(found, wanted) ?? findStatusIssue(found))
      : 'must be the reference of a saved recipient'
    return issue === undefined ? [] : [{ index, field: 'recipient', issue }]
  })
}

async function readNamed(
  db: Queryable,
  { id: environmentId }: Environment,
  references: (string | undefined)[],
): Promise<Map<string, Recipient>> {
  const distinct = [...new Set(references.flatMap((reference) => reference ?? []))]
  const keys = distinct.flatMap((reference) => {
    const id = fromReference(prefixes.recipient, reference)
    return id === undefined ? [] : [{ environmentId, id }]
  })
  const found = keys.length === 0 ? [] : await findRecipients(db, keys)
  return new Map(found.flatMap((saved) => (saved ? [[recipientReference(saved), saved]] : [])))
}

function findStatusIssue({ status }: Recipient): string | undefined {
  return status === 'DISABLED' ? 'must not be disabled' : undefined
}
