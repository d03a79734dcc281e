import type { Command } from 'commander'
import { exitCodes } from '../../sdk/cli/failure.js'
import { createProgram } from '../../sdk/cli/program.js'
import type { Terminal } from '../../sdk/cli/terminal.js'
import { registerOperator } from '../../src/cli.js'

/** docs/reference/cli.md, from the program. */
export function renderCli(): string {
  const terminal = { print() {}, note() {}, columns: 120 } as unknown as Terminal
  const program = createProgram(terminal, '0.0.0', [])
  registerOperator(program, terminal)
  const groups = [...new Set(program.commands.map((command) => command.helpGroup()))]
  const sections = groups.map((group) => {
    const commands = program.commands.filter((command) => command.helpGroup() === group)
    const rows = commands.flatMap((command) => listRows(command))
    return `### ${group.replace(':', '')}\n\n| command | does |\n|---|---|\n${rows.join('\n')}`
  })
  return `${intro}
## How it ends

| exit code | means |
|---|---|
| ${exitCodes.done} | done |
| ${exitCodes.refused} | the service refused, or something that was checked does not hold |
| ${exitCodes.misused} | the command was not called as it must be |
| ${exitCodes.unreachable} | no answer: the service does not run, or not there |
| ${exitCodes.stopped} | somebody pressed Ctrl-C in \`trigger\`; in \`listen\` and \`logs tail\` that is the way to end them, and 0 |

What went wrong is on stderr, with what to do; with \`--json\` as one line of JSON. What was asked for is on stdout, and nothing else.

## Every command

\`--help\` behind any of them has its arguments and flags.

${sections.join('\n\n')}

This page is written from \`sdk/cli\` and \`src/operate\` by \`npm run generate\`.
`
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

const intro = `# The command line

\`npx manilla\` in this folder has every command; the package of the SDK has those that ask a service over its API (\`npx manilla\` in your
own project once it is installed there).

## Whose key

Commands find their key by themselves, from the first of these that is there:

1. \`MANILLA_KEY\`, with \`MANILLA_URL\` (\`http://127.0.0.1:8080\` unless it is set),
2. what \`manilla login\` kept: it asks for a secret key, or reads one that is piped in, and keeps it readable for you alone,
3. \`demo.json\` of a service that was started on this machine, in \`MANILLA_HOME\` or in this folder.

A live key is used only with \`--live\`. \`manilla whoami\` says which key it is, and whose.

## Hear webhooks

\`\`\`sh background
npx manilla listen
\`\`\`

shows every webhook as it comes; \`--forward-to http://127.0.0.1:3000/webhooks\` hands it on to your server, byte for byte and with its
signature, and your server's answer is the answer: a 500 is tried again, as it would be in earnest. \`--events 'payment.*,balance.low'\` hears
only these. The signing secret that it prints stays the same next time. A service that runs elsewhere cannot reach your machine: open a
tunnel, and say where it begins and ends (\`--through https://your-tunnel.example --port 4242\`).

## Make things happen

\`\`\`sh
npx manilla trigger virtual_account.paid
npx manilla trigger crypto_transfer.confirmed
npx manilla virtual-accounts create --amount 500000 --merchant-reference cli-1001
npx manilla pay cli-1001
\`\`\`

\`trigger\` makes any event of the [catalogue](events.md) happen for real, in test mode: an account is opened, money is paid, and the event is
the consequence. \`pay\` is your customer: it pays to an account number, a wallet, or whatever a reference names, in naira or coins
(\`5000\` is ₦5,000.00), and what is asked for where you say no amount. The commands of resources take what the API takes: there, amounts
of naira are in kobo.

Flags are the fields of the API: \`--merchant-reference\` is \`merchantReference\`, \`--customer.email\` is inside of \`customer\`, metadata is JSON.
\`--data '{…}'\`, \`--data @file\` and \`--data -\` give a request whole. \`--idempotency-key\` makes it safe to repeat.

\`\`\`sh
npx manilla checkout sessions create --amount 1250000 --description "Two loaves of agege bread" \\
  --customer.name "Ada Obi" --customer.email ada@example.com --metadata '{"basket":7}'
npx manilla virtual-accounts list --status PAID --limit 5
npx manilla balances list --json
\`\`\`

## See what happened

\`logs tail\` follows what your servers ask, with status and time (\`--status 4xx\` for what was refused). \`events resend evt_…\` sends an event
again. \`doctor\` checks configuration, database, clock, workers, rails and treasury, and says how to fix what is wrong:

\`\`\`sh
npx manilla doctor
\`\`\`

Colours are used at a terminal that has them, unless \`NO_COLOR\` is set. All but \`login\`, \`logout\` and those that run a service take\n\`--json\`.
`
