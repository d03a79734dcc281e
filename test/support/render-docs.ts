import type { TSchema } from 'typebox'
import { day } from '../../src/base/clock.js'
import { variables } from '../../src/base/config.js'
import { limits } from '../../src/base/limits.js'
import { codes, reasons } from '../../src/base/refusals.js'
import { catalogue, eventTypes } from '../../src/events/catalogue.js'
import { failureReasons } from '../../src/payouts/failure-reasons.js'
import { attemptStates } from '../../src/payouts/payout.js'
import { simulatedOutcomes } from '../../src/payouts/simulated-outcomes.js'
import { localnetLimits } from '../../src/simulation/localnet/limits.js'
import { magicWallets } from '../../src/simulation/magic-wallets.js'
import {
  magicAccounts,
  sandboxBankItself,
} from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { magicReferences } from '../../src/simulation/sandbox-bank/magic-references.js'

type Row = { status: number; when: string; nextStep: string }

/** docs/reference/errors.md, from the one table of refusals. */
export function renderErrors(): string {
  return `# Errors

Every failure has one shape. \`code\` is what your program decides on; \`reason\` is a finer word where
there is one; \`message\` says what to change; \`details\` names the fields; \`nextStep\` says what to do;
\`requestId\` is what to quote to us.

\`\`\`json
{
  "status": false,
  "message": "amount must be an integer, not a string.",
  "code": "validation_failed",
  "details": [{ "field": "amount", "issue": "must be an integer, not a string" }],
  "nextStep": "Correct what the message names (\`details\` lists the fields) and send the request again.",
  "requestId": "req_01a1dd1194ef73ddb6fb1c263f63557b"
}
\`\`\`

## Codes

${toTable('code', codes)}

## Reasons

${toTable('reason', reasons)}

This page is written from \`src/base/refusals.ts\` by \`npm run generate\`.
`
}

/** docs/reference/events.md, from the catalogue that types what may be emitted. */
export function renderEvents(): string {
  const rows = eventTypes.map((type) => {
    const { when, data } = catalogue[type]
    return `| \`${type}\` | ${when} | [${data.title}](#${data.title.toLowerCase()}) |`
  })
  const resources = [...new Set(eventTypes.map((type) => catalogue[type].data))]
  return `# Events

The body of a webhook is \`{id, type, timestamp, mode, sequence, data}\`; \`data\` is the whole resource as its verify operation
shows it. The JSON Schema of every type is in [openapi.json](../../openapi.json) under \`webhooks\`; how to receive and verify
them is in the [guide](../guides/webhooks.md).

| type | when | data |
|---|---|---|
${rows.join('\n')}

${resources.map(renderResource).join('\n\n')}

This page is written from \`src/events/catalogue.ts\` by \`npm run generate\`.
`
}

function renderResource({ title, properties }: { title: string; properties: object }): string {
  const rows = Object.entries(properties as Record<string, TSchema>).map(
    ([name, schema]) => `| \`${name}\` | ${renderType(schema)} |`,
  )
  return `## ${title}\n\n| field | |\n|---|---|\n${rows.join('\n')}`
}

/** In a few words; the whole truth is in the JSON Schema. */
function renderType(schema: TSchema): string {
  const {
    title,
    description,
    anyOf,
    enum: values,
    const: value,
    items,
    type,
  } = schema as never as {
    title?: string
    description?: string
    anyOf?: TSchema[]
    enum?: string[]
    const?: string
    items?: TSchema
    type?: string
  }
  if (title) return `[${title}](#${title.toLowerCase()})`
  if (values) return values.map((one) => `\`${one}\``).join(', ')
  if (value) return `\`${value}\``
  if (items) return `a list of ${renderType(items)}`
  if (description) return description
  if (anyOf) return anyOf.map(renderType).join(' or ')
  return type ?? 'anything'
}

/** docs/operating/configuration.md, from the schema that reads the variables. */
export function renderConfiguration(): string {
  const rows = Object.entries(variables.properties).map(([name, schema]) => {
    const { default: value, description } = schema as object as {
      default?: unknown
      description: string
    }
    return `| \`${name}\` | ${value === undefined ? '' : `\`${value}\``} | ${description} |`
  })
  return `# Configuration

Everything is set by environment variables. A wrong value is named at start.

| variable | default | meaning |
|---|---|---|
${rows.join('\n')}

This page is written from \`src/base/config.ts\` by \`npm run generate\`.
`
}

/** docs/reference/test-mode.md, from the tables that the simulated bank and chain obey. */
export function renderTestMode(): string {
  const accounts = magicAccounts.map(({ number, happens, reaches, refusedAs }) => {
    const end = refusedAs ? `refused: ${reasons[refusedAs].status} \`${refusedAs}\`` : reaches
    return `| \`${number}\` | ${happens} | ${end} |`
  })
  const references = magicReferences.map(({ purpose, happens, refusedAs }) => {
    return `| \`${purpose}\` | ${happens} | ${reasons[refusedAs].status} \`${refusedAs}\` |`
  })
  const wallets = magicWallets.map(({ address, outcome }) => `| \`${address}\` | ${outcome} |`)
  const { code, name } = sandboxBankItself
  return `# Test mode

Test keys (\`sk_test_…\`) run the same code as live ones, on a bank and a chain that simulate. Most transfers go well. To see the
other ends, pay to one of the values below, or decide yourself. The [guide](../guides/payouts.md) shows both.

## Bank accounts

At any bank of \`GET /v1/banks\`: the first nine digits decide. The check digits below are those of the ${name} (\`${code}\`), which
exists in test mode only. Every other number completes after ${limits.sandboxBank.processingMs / 1_000} second.

| account number | what happens | the transfer becomes |
|---|---|---|
${accounts.join('\n')}

Money that goes back to a customer is a transfer like any other: have a customer pay from one of these numbers, and the return
meets the same end.

## References that the bank refuses

As the \`externalReference\` of a dedicated account, or the \`merchantReference\` of a virtual account. Every other account is opened.

| reference | what happens | the answer |
|---|---|---|
${references.join('\n')}

## Wallets

On the embedded chain, which makes a block every ${localnetLimits.blockMs} ms. Every other wallet is paid at once, and \`CONFIRMED\` after
${localnetLimits.finalizedAfter} blocks.

| wallet | what happens |
|---|---|
${wallets.join('\n')}

## Decide how a transfer ends

\`POST /v1/test/disbursements/{reference}/settle\` with \`{"outcome":"…"}\` tells the bank or the chain what to do with a transfer. It
changes nothing else: the transfer follows a moment later, with its webhooks, as it would in earnest. What was decided on the chain
lasts until the service stops.

A transfer that has ended otherwise is past deciding (409 \`invalid_state\`), and an ordinary one has within a second. So pay to an
account that stays unknown, or to a wallet where nothing lands, and decide then.

| transfer | \`outcome\` | what happens | it becomes |
|---|---|---|---|
${renderOutcomes('bank_transfer')}
${renderOutcomes('crypto_transfer')}

## Move time

\`POST /v1/test/clock/advance\` with \`{"seconds":1800}\` moves the clock of your test environment ahead, by at most
${limits.testClock.advanceMs / day} days at once and ${Math.round(limits.testClock.aheadMs / (366 * day))} years in all. There is no way back. What falls due by then is due now: virtual accounts expire, and
a bank transfer that has been unknown for ${limits.payouts.reviewMs / day} days needs review. Send an \`Idempotency-Key\`, or a retry moves the clock again.

| by the clock of the environment | by the world's |
|---|---|
| \`createdAt\`, \`submittedAt\`, \`expiresAt\`, \`receivedAt\`, and when a transfer completed, failed or was reversed | events, webhooks and their retries |
| when a transfer needs review | the statement (\`/v1/balance-entries\`) |
| | when keys and old secrets of webhooks end |
| | banks, chains and the \`attempts\` of a transfer |

The process that answers knows the new time at once; where several serve one database, the others do within a second.

This page is written from \`magic-accounts.ts\` and \`magic-references.ts\` of \`src/simulation/sandbox-bank\`,
\`src/simulation/magic-wallets.ts\` and \`src/payouts/simulated-outcomes.ts\` by \`npm run generate\`.
`
}

/** docs/reference/payouts.md, from the words that payouts and their attempts end with. */
export function renderPayouts(): string {
  const rowsOf = (table: Record<string, string>) =>
    Object.entries(table).map(([word, meaning]) => `| \`${word}\` | ${meaning} |`)
  const reasonsOf = (kind: keyof typeof failureReasons) => rowsOf(failureReasons[kind]).join('\n')
  return `# How payouts end

What the states of a transfer promise is in the [guide](../guides/payouts.md). These are the words beside them.

## Why a crypto transfer failed

\`failureReason\` of a transfer that is \`FAILED\`. Nothing left, and amount and fee are available again.

| \`failureReason\` | |
|---|---|
${reasonsOf('crypto_transfer')}

A transfer that had to be signed anew, and could not, fails with the \`reason\` that a new one would be
[refused](errors.md) with.

## Why a bank transfer failed

| \`failureReason\` | |
|---|---|
${reasonsOf('bank_transfer')}

A bank may have other words; expect some that are not here.

## Attempts of a crypto transfer

\`attempts[].state\`, oldest first. \`transactionSignature\` is that of the last one.

| \`state\` | |
|---|---|
${rowsOf(attemptStates).join('\n')}

This page is written from \`src/payouts/failure-reasons.ts\` and \`src/payouts/payout.ts\` by \`npm run generate\`.
`
}

function renderOutcomes(kind: keyof typeof simulatedOutcomes): string {
  const name = kind === 'bank_transfer' ? 'bank (`bt_…`)' : 'crypto (`ct_…`)'
  return Object.entries(simulatedOutcomes[kind])
    .map(([word, { happens, reaches }]) => `| ${name} | \`${word}\` | ${happens} | ${reaches} |`)
    .join('\n')
}

function toTable(head: string, table: Record<string, Row>): string {
  const rows = Object.entries(table).map(
    ([name, { status, when, nextStep }]) => `| \`${name}\` | ${status} | ${when} | ${nextStep} |`,
  )
  return [`| ${head} | HTTP | when | what to do |`, '|---|---|---|---|', ...rows].join('\n')
}
