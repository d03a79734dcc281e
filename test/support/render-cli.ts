import type { Command } from 'commander'
import { createConsole } from '../../sdk/cli/console.js'
import { exitCodes } from '../../sdk/cli/failure.js'
import { createProgram } from '../../sdk/cli/program.js'
import type { Terminal } from '../../sdk/cli/terminal.js'
import { registerOperator } from '../../src/processes/cli.js'

/** docs/reference/cli.md, from the program. */
export function renderCli(): string {
  const terminal = { print() {}, note() {}, columns: 120 } as unknown as Terminal
  const program = createProgram(terminal, '0.0.0', [])
  const asksOfClient = listAsking(program)
  registerOperator(program, createConsole(terminal))
  const asksOfOperator = listAsking(program).filter((name) => !asksOfClient.includes(name))
  const groups = [...new Set(program.commands.map((command) => command.helpGroup()))]
  const sections = groups.map((group) => {
    const commands = program.commands.filter((command) => command.helpGroup() === group)
    const rows = commands.flatMap((command) => listRows(command))
    return `### ${group.replace(':', '')}\n\n| command | does |\n|---|---|\n${rows.join('\n')}`
  })
  return `${renderIntro(asksOfClient.join(', '), asksOfOperator.join(', '))}
## Exit codes

| exit code | meaning |
|---|---|
| ${exitCodes.done} | success |
| ${exitCodes.refused} | the service refused the request, or a check failed |
| ${exitCodes.misused} | wrong usage |
| ${exitCodes.unreachable} | no response: the service is not running at this address |
| ${exitCodes.stopped} | \`trigger\` was stopped with Ctrl-C (\`listen\` and \`logs tail\` end with 0) |

Errors go to stderr, with what to do; with \`--json\`, as one line of JSON. Only results go to stdout.

## All commands

\`--help\` after a command shows its arguments and flags.

${sections.join('\n\n')}

Generated from \`sdk/cli\` and \`src/operations\` by \`npm run generate\`.
`
}

/** The commands that ask before they move live money. */
function listAsking(command: Command, before: string[] = []): string[] {
  return command.commands.flatMap((one) => {
    const words = [...before, one.name()]
    const isAsking = one.options.some(({ long }) => long === '--yes')
    return [...(isAsking ? [`\`${words.join(' ')}\``] : []), ...listAsking(one, words)]
  })
}

function listRows(command: Command, before: string[] = []): string[] {
  const words = [...before, command.name()]
  if (command.commands.length > 0) return command.commands.flatMap((one) => listRows(one, words))
  const given = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  const [first = ''] = command.description().split(/(?<=\.) /)
  return [`| \`${[...words, ...given].join(' ')}\` | ${first.replaceAll('|', '\\|')} |`]
}

const renderIntro = (asksOfClient: string, asksOfOperator: string) => `# Command line

In this folder, \`npx manilla\` has every command. The SDK package has those that use the API: run \`npx manilla\` in a project where it is
installed.

## API keys

Commands use the first key that they find:

1. \`MANILLA_KEY\`, with \`MANILLA_URL\` (default \`http://127.0.0.1:8080\`),
2. the key stored by \`manilla login\`, which prompts for a secret key or reads it from stdin and stores it readable only by you,
3. \`demo.json\` of a service started on this machine, in \`MANILLA_HOME\` or in this folder.

Live keys are used only with \`--live\`. \`manilla whoami\` shows which key is used and which merchant it belongs to.

With \`--live\`, a command that moves money shows amount, recipient and merchant, and asks before it does:
${asksOfClient}.
\`--yes\` skips the question; without a terminal, such as in a script, it is required.
Operator commands that move live money (${asksOfOperator}) ask in the same way; \`rates set\` only before the first rate of a coin and before one that differs much from the previous one.

## Amounts

Commands take and print naira: \`--amount 5000\`, \`--amount 5000.50\` \`--amount N5,000\` and \`--amount '₦5,000.00'\` work everywhere;
\`--amount 5000.505\` is refused.
Coins are decimals, \`25.5\` or \`'25.5 USDC'\`. Of an amount that can be either, the asset of the request or of the payment decides.
No flag takes kobo. \`--data\` and \`--json\` are the API's own requests and answers, where naira are an integer of kobo.

## Receive webhooks

\`\`\`sh background
npx manilla listen
\`\`\`

This prints every webhook. \`--forward-to http://127.0.0.1:3000/webhooks\` forwards it to your server, byte for byte and with its signature; your
server's response counts, so a 500 is retried as in live mode. \`--events 'payment.*,balance.low'\` selects types. The signing secret that it
prints stays the same. A remote service cannot reach your machine: open a tunnel and pass its two ends
(\`--through https://your-tunnel.example --port 4242\`).

## Simulate payments and events

\`\`\`sh
npx manilla trigger virtual_account.paid
npx manilla trigger crypto_transfer.confirmed
npx manilla virtual-accounts create --amount 5000 --merchant-reference cli-1001
npx manilla pay cli-1001
\`\`\`

\`trigger\` triggers a real [event](events.md) of any type in test mode: it creates accounts and pays them until the event occurs. \`pay\` pays as
a customer would, to an account number, a wallet or a reference, in naira or coins; without an amount, it pays what the account
expects in all, even if that was already paid. Dedicated accounts and dedicated wallets expect no amount: name one.

Flags are API fields: \`--merchant-reference\` is \`merchantReference\`, \`--customer.email\` is \`email\` inside \`customer\`, metadata is JSON.
\`--data '{…}'\`, \`--data @file\` and \`--data -\` pass a whole request. \`--idempotency-key\` makes it safe to repeat. In lists, \`--payer\` is
short for \`--sender\` and \`--order\` for \`--merchant-reference\`; times may be a day: \`--from 2026-11-01\`;
choices may be in lower case: \`--status held\`. \`search chuka\` is short for \`search list --q chuka\`.

\`\`\`sh
npx manilla checkout sessions create --amount 12500 --description "Two loaves of agege bread" \\
  --customer.name "Ada Obi" --customer.email ada@example.com --metadata '{"basket":7}'
npx manilla virtual-accounts list --order cli-1001 --status PAID
npx manilla balances list --json
\`\`\`

## Inspect

\`logs tail\` follows your requests with status and time (\`--status 4xx\` for errors). \`events resend evt_…\` sends an event again. \`doctor\`
checks configuration, database, clock, workers, rails and treasury, and suggests fixes:

\`\`\`sh
npx manilla doctor
\`\`\`

Output is coloured on terminals that support it, unless \`NO_COLOR\` is set. Tables leave out what does not fit: at the end, and fields
that are empty in every row. Without a terminal they are 120 columns wide, or as wide as \`COLUMNS\` says. Times in tables are in the zone of their
head. Every command takes \`--json\`, except \`login\`, \`logout\` and those
that run a service.
`
