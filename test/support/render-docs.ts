import type { TSchema } from 'typebox'
import { listRows } from '../../sdk/scripts/document.js'
import { dataSchema } from '../../src/api/openapi/event-schemas.js'
import { day } from '../../src/base/clock.js'
import { variables } from '../../src/base/config.js'
import { limits } from '../../src/base/limits.js'
import { codes, reasons } from '../../src/base/refusals.js'
import { catalogue, eventTypes } from '../../src/events/catalogue.js'
import { describePeriod, retentionClasses } from '../../src/operations/personal-data/classes.js'
import { failureReasons } from '../../src/payouts/attempts/failure-reasons.js'
import { waitReasons } from '../../src/payouts/controls/wait.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import { attemptStates } from '../../src/payouts/payout.js'
import { simulatedOutcomes } from '../../src/payouts/requests/simulated-outcomes.js'
import { localnetLimits } from '../../src/simulation/localnet/limits.js'
import { magicWallets } from '../../src/simulation/magic-wallets.js'
import { sandboxBankLimits } from '../../src/simulation/sandbox-bank/limits.js'
import {
  magicAccounts,
  sandboxBankItself,
} from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { magicReferences } from '../../src/simulation/sandbox-bank/magic-references.js'
import { permissions, roles } from '../../src/team/permissions.js'

type Row = { status: number; when: string; nextStep: string }

/** docs/reference/errors.md, from the table of refusals. */
export function renderErrors(): string {
  return `# Errors

Every error has the same shape. \`code\` is for your program; \`reason\` refines it; \`message\` says what to change; \`details\` names the
fields that are wrong, or the one that a refusal (402, 409, 422) concerns; \`nextStep\` says what to do; \`requestId\` identifies the request in support questions.

\`\`\`json
{
  "status": false,
  "message": "amount must be an integer in kobo, not a string.",
  "code": "validation_failed",
  "details": [{ "field": "amount", "issue": "must be an integer in kobo, not a string" }],
  "nextStep": "Correct what the message names (\`details\` lists the fields) and send the request again.",
  "requestId": "req_01a1dd1194ef73ddb6fb1c263f63557b"
}
\`\`\`

## Codes

${toTable('code', codes)}

## Reasons

${toTable('reason', reasons)}

Generated from \`src/base/refusals.ts\` by \`npm run generate\`.
`
}

/** docs/reference/events.md, from the event catalogue. */
export function renderEvents(): string {
  const rows = eventTypes.map((type) => {
    const { title } = dataSchema(type)
    return `| \`${type}\` | ${catalogue[type]} | [${title}](#${title.toLowerCase()}) |`
  })
  const resources = withNested(eventTypes.map(dataSchema))
  return `# Events

A webhook body is \`{id, type, timestamp, mode, sequence, data}\`; \`data\` is the whole resource as its verify operation returns it.
[openapi.json](../../openapi.json) has the JSON Schema of every type under \`webhooks\`. The [webhooks guide](../guides/webhooks.md) shows
how to receive and verify them.

| type | when | data |
|---|---|---|
${rows.join('\n')}

${resources.map(renderResource).join('\n\n')}

Generated from \`src/events/catalogue.ts\` by \`npm run generate\`.
`
}

type TitledSchema = { title: string; properties: object }

/** Each once, then the resources of which their fields are lists. */
function withNested(schemas: TitledSchema[]): TitledSchema[] {
  const found = new Map(schemas.map((schema) => [schema.title, schema]))
  // What is added here is visited, too.
  for (const { properties } of found.values())
    for (const { items } of Object.values(properties) as { items?: TitledSchema }[])
      if (items?.title && !found.has(items.title)) found.set(items.title, items)
  return [...found.values()]
}

function renderResource({ title, properties }: TitledSchema): string {
  const rows = Object.entries(properties as Record<string, TSchema>).map(
    // Plain: as code, the page would have more elements than a cheap phone lays out at once.
    ([name, schema]) => `| ${name} | ${renderType(schema)} |`,
  )
  return `## ${title}\n\n| field | |\n|---|---|\n${rows.join('\n')}`
}

/** A short form; the JSON Schema has the details. */
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
  if (anyOf)
    return anyOf
      .map(renderType)
      .join(' or ')
      .replace(/\. or null$/, '; or null.')
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

Manilla reads environment variables only. At start it names any variable with an invalid value.

| variable | default | meaning |
|---|---|---|
${rows.join('\n')}

Generated from \`src/base/config.ts\` by \`npm run generate\`.
`
}

/** docs/reference/test-mode.md, from the magic values of the sandbox bank and localnet. */
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

Test keys (\`sk_test_…\`) run the same code as live keys, with a simulated bank and chain. Most transfers succeed. To simulate other
outcomes, pay to one of the values below, or set the outcome yourself. The [payouts guide](../guides/payouts.md) shows both.

This page is about the sandbox bank, the default. \`BANK_TEST\` can also name [an emulated provider](../guides/emulators.md), which behaves like a
live bank, or a provider's own test mode.

## Bank accounts

At any bank of \`GET /v1/banks\`, the first nine digits select the outcome. The check digits below are for the ${name} (\`${code}\`), which
exists in test mode only. Transfers to every other number complete after ${sandboxBankLimits.processingMs / 1_000} second.

| account number | what happens | final status |
|---|---|---|
${accounts.join('\n')}

Returns behave the same: if a customer pays from one of these numbers, the return to it has this outcome.

## References that the bank refuses

Use one as the \`externalReference\` of a dedicated account or the \`merchantReference\` of a virtual account. Every other account is opened.

| reference | what happens | response |
|---|---|---|
${references.join('\n')}

## Wallets

The embedded chain produces a block every ${localnetLimits.blockMs} ms. Transfers to every other wallet land at once and are \`CONFIRMED\` after
${localnetLimits.finalizedAfter} blocks.

| wallet | what happens |
|---|---|
${wallets.join('\n')}

## Set the outcome of a transfer

\`POST /v1/test/disbursements/{reference}/settle\` with \`{"outcome":"…"}\` instructs the simulated bank or chain. It changes nothing else: the
transfer and its webhooks follow a moment later, as in live mode. Instructions to the chain last until the service stops.

A transfer that has already ended cannot be changed (409 \`invalid_state\`; repeating its outcome is accepted), and most transfers end within a second. So pay to an account
that stays unknown, or to a wallet where nothing lands, and settle it then.

| transfer | \`outcome\` | what happens | final status |
|---|---|---|---|
${renderOutcomes('bank_transfer')}
${renderOutcomes('crypto_transfer')}

## Decide about a transfer that waits

With an [approval rule](../guides/approvals.md), \`POST /v1/test/disbursements/{reference}/decide\` with \`{"decision":"approve"}\` or
\`{"decision":"reject"}\` stands for a member of your team.

## Move time

\`POST /v1/test/clock/advance\` with \`{"seconds":1800}\` advances the clock of your test environment, by at most
${limits.testClock.advanceMaxMs / day} days at once and ${Math.round(limits.testClock.offsetMaxMs / (366 * day))} years in total. It cannot be set back. Everything due by the new time is due now: virtual accounts expire, and
a bank transfer without a result for ${payoutLimits.reviewAfterMs / day} days needs review. Send an \`Idempotency-Key\`, or a retry advances the clock again.

| environment's clock | real time |
|---|---|
| \`createdAt\`, \`submittedAt\`, \`expiresAt\`, \`receivedAt\`, and when a transfer completed, failed or was reversed | events, webhooks and their retries |
| the statement (\`/v1/balance-entries\`), and when a transfer needs review | expiry of API keys and old webhook secrets |
| | banks, chains and the \`attempts\` of a transfer |

The process that answers uses the new time at once, other processes on the same database within a second.

Generated from \`magic-accounts.ts\` and \`magic-references.ts\` of \`src/simulation/sandbox-bank\`,
\`src/simulation/magic-wallets.ts\` and \`src/payouts/requests/simulated-outcomes.ts\` by \`npm run generate\`.
`
}

/** docs/reference/payouts.md, from the failure reasons and attempt states. */
export function renderPayouts(): string {
  const rowsOf = (table: Record<string, string>) =>
    Object.entries(table).map(([word, meaning]) => `| \`${word}\` | ${meaning} |`)
  const reasonsOf = (kind: keyof typeof failureReasons) => rowsOf(failureReasons[kind]).join('\n')
  return `# Payout outcomes

The [payouts guide](../guides/payouts.md#what-each-status-means) explains the statuses. This page lists failure reasons and attempt states.

## Why a crypto transfer failed

\`failureReason\` of a \`FAILED\` transfer. Nothing left; amount and fee are available again.

| \`failureReason\` | meaning |
|---|---|
${reasonsOf('crypto_transfer')}

A transfer that needs a new attempt, which the rail refuses, fails with the [reason](errors.md) of that refusal.

## Why a bank transfer failed

| \`failureReason\` | meaning |
|---|---|
${reasonsOf('bank_transfer')}

Banks can add reasons: expect values that are not listed here.

## Attempts of a crypto transfer

\`attempts[].state\`, oldest first. The transfer's \`transactionSignature\` is that of the last attempt.

| \`state\` | meaning |
|---|---|
${rowsOf(attemptStates).join('\n')}

Generated from \`src/payouts/attempts/failure-reasons.ts\` and \`src/payouts/payout.ts\` by \`npm run generate\`.
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

/** docs/guides/console.md with the current table of permissions between its two marks. */
export function renderConsoleGuide(guide: string): string {
  const signs = { both: 'yes', test: 'test', none: '' }
  const rows = Object.values(permissions).map(
    ({ does, may }) => `| ${does} | ${roles.map((role) => signs[may[role]]).join(' | ')} |`,
  )
  const head = `| | ${roles.join(' | ')} |\n|---|${roles.map(() => '---|').join('')}`
  return fillBlock(guide, 'permissions', [head, ...rows])
}

/** docs/guides/payout-controls.md, with every reason to wait. */
export function renderPayoutControls(guide: string): string {
  const rows = Object.entries(waitReasons).map(([reason, text]) => `| \`${reason}\` | ${text} |`)
  return fillBlock(guide, 'reasons', ['| reason | |\n|---|---|', ...rows])
}

/** Replaces the lines between the two marks of a block. */
export function fillBlock(page: string, name: string, lines: string[]): string {
  const [before, rest = ''] = page.split(new RegExp(`(?<=<!-- ${name}: .* -->\\n)`))
  const after = rest.slice(rest.indexOf(`<!-- end of ${name} -->`))
  return `${before}\n${lines.join('\n')}\n\n${after}`
}

/** docs/operating/personal-data.md, with every class. */
export function renderPersonalData(page: string): string {
  const rows = retentionClasses.map(
    ({ table, columns, whose, purpose, keeps, after, afterwards }) => {
      const names = Object.keys(columns).map((name) => `\`${name}\``)
      return `| \`${table}\` | ${names.join(', ')} | ${whose} | ${purpose} | ${describePeriod(keeps, after)} | ${afterwards} |`
    },
  )
  const head = '| table | columns | whose | why | kept | then |\n|---|---|---|---|---|---|'
  return fillBlock(page, 'classes', [head, ...rows])
}

/** sdk/README.md, with every resource of the client and its methods. */
export function renderSdkReadme(readme: string): string {
  const groups = new Map<string, string[]>()
  for (const [name] of listRows()) {
    const parts = name.split('.')
    const resource = parts.slice(0, -1).join('.')
    groups.set(resource, [...(groups.get(resource) ?? []), parts.at(-1)!])
  }
  const rows = [...groups].map(
    ([name, methods]) => `| \`${name}\` | ${methods.map((one) => `\`${one}\``).join(' ')} |`,
  )
  return fillBlock(readme, 'resources', ['| resource | methods |\n|---|---|', ...rows])
}
