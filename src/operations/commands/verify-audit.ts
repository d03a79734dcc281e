import { type Command, InvalidArgumentError, Option } from 'commander'
import { chainName, readChainName } from '../../audit/chain.js'
import {
  type ChainVerdict,
  type KnownHead,
  listChains,
  listLoggedHeads,
  verifyChain,
} from '../../audit/verify-chain.js'
import type { Database } from '../../postgres/database.js'
import { collect } from './arguments.js'
import { type CommandOutput, type OperateContext, setOperation } from './operation.js'
import { tableOf } from './table.js'

export function registerVerifyAudit(program: Command, context: OperateContext): void {
  const command = program
    .command('verify-audit')
    .description('recompute every hash of the audit log')
    .addOption(
      new Option(
        '--head <chain=number:hash>',
        'a head that was written down, such as from the log; may be repeated',
      ).argParser(collect(readHead)),
    )
  setOperation<{ head?: KnownHead[] }>(command, context, ({ db, options }) =>
    verify(db, options.head ?? [], context),
  )
}

/** Exits with 1 when a line was changed, so that a scheduler can alert. */
async function verify(
  db: Database,
  given: KnownHead[],
  { startProgress }: OperateContext,
): Promise<CommandOutput> {
  const verdicts = await verifyAudit(db, given, startProgress)
  const faults = verdicts.flatMap(({ faults }) => faults)
  const isClean = faults.length === 0
  if (!isClean) process.exitCode = 1
  const lines = verdicts.reduce((sum, verdict) => sum + verdict.lines, 0)
  const rows = verdicts.map(({ chain, head, lines, faults }) => [
    chainName(chain),
    `${lines}`,
    head ? `${head.number}:${head.hash.toString('hex')}` : '-',
    faults.length === 0 ? 'ok' : `${faults.length} faults`,
  ])
  const verdict = isClean
    ? `All ${lines} lines are as they were written.`
    : 'THE AUDIT LOG WAS CHANGED. Keep the database as it is and investigate.'
  return {
    data: {
      isClean,
      lines,
      chains: verdicts.map(({ chain, head, lines, faults }) => ({
        chain: chainName(chain),
        lines,
        head: head && `${head.number}:${head.hash.toString('hex')}`,
        faults: faults.map(({ message }) => message),
      })),
    },
    text: [
      tableOf(['chain', 'lines', 'head', 'result'], rows),
      ...faults.map(({ chain, message }) => `${chainName(chain)}: ${message}`),
      '',
      verdict,
    ],
  }
}

async function verifyAudit(
  db: Database,
  given: KnownHead[],
  startProgress: OperateContext['startProgress'],
): Promise<ChainVerdict[]> {
  const logged = await listLoggedHeads(db)
  const chains = [...new Set([...(await listChains(db)), ...given.map(({ chain }) => chain)])]
  const progress = startProgress('Recomputing every hash', chains.length)
  const verdicts: ChainVerdict[] = []
  try {
    for (const chain of chains) {
      const ofLog = logged.get(chain)
      const known = [...given.filter((head) => head.chain === chain), ...(ofLog ? [ofLog] : [])]
      verdicts.push(await verifyChain(db, chain, { known }))
      progress.step(chainName(chain))
    }
  } finally {
    progress.end()
  }
  return verdicts
}

/** `mer_…=12:<64 hex digits>`, as the log and this command print it. */
function readHead(text: string): KnownHead {
  const [, name = '', number, hash] = /^(\w+)=(\d{1,18}):([0-9a-f]{64})$/.exec(text) ?? []
  const chain = readChainName(name)
  if (!chain || number === undefined)
    throw new InvalidArgumentError(
      'Must be such as installation=12: or mer_…=12: and the 64 hex digits of the hash.',
    )
  return { chain, number: BigInt(number), hash: Buffer.from(hash!, 'hex') }
}
