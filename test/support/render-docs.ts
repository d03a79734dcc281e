import { variables } from '../../src/config.js'
import { codes, reasons } from '../../src/refusals.js'

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
  "nextStep": "Correct what \`details\` names and send the request again.",
  "requestId": "req_01a1dd1194ef73ddb6fb1c263f63557b"
}
\`\`\`

## Codes

${toTable('code', codes)}

## Reasons

${toTable('reason', reasons)}

This page is written from \`src/refusals.ts\` by \`npm run generate\`.
`
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

This page is written from \`src/config.ts\` by \`npm run generate\`.
`
}

function toTable(head: string, table: Record<string, Row>): string {
  const rows = Object.entries(table).map(
    ([name, { status, when, nextStep }]) => `| \`${name}\` | ${status} | ${when} | ${nextStep} |`,
  )
  return [`| ${head} | HTTP | when | what to do |`, '|---|---|---|---|', ...rows].join('\n')
}
