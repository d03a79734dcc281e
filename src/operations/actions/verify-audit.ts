import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { chainName, readChainName } from '../../audit/chain.js'
import { auditLimits } from '../../audit/limits.js'
import { readSignedHeads, signHead } from '../../audit/signed-heads.js'
import {
  type ChainVerdict,
  type KnownHead,
  listChains,
  listLoggedHeads,
  verifyChain,
} from '../../audit/verify-chain.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { type Action, type CommandCall, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'

export const verifyAuditActions: Action[] = [
  command({
    name: 'verify-audit',
    description: 'recompute every hash of the audit log',
    input: {
      since: Type.Optional(
        fields.text('also compare with your copy of signed heads, such as a log; - is stdin', {
          placeholder: 'file',
        }),
      ),
      heads: fields.flag('print the signed head of every chain, for your copy'),
      head: fields.repeated(readHead, 'a head that was written down by hand; may be repeated', {
        placeholder: 'chain=number:hash',
      }),
    },
    /** Exits with 1 when a line was changed, so that a scheduler can alert. */
    async run(call, { since, head: given = [], heads: printsHeads }) {
      const copy = since === undefined ? undefined : await readCopy(call.seal, since)
      const verdicts = await verifyAudit(call, [...given, ...(copy?.heads ?? [])])
      const chainFaults = verdicts.flatMap(({ faults }) => faults)
      const copyFaults = copy?.faults ?? []
      const isClean = chainFaults.length + copyFaults.length === 0
      if (!isClean) process.exitCode = 1
      // A head of a chain that was changed must not enter the copy.
      if (printsHeads && isClean) {
        const heads = verdicts.flatMap(({ chain, head }) =>
          head ? [signHead(call.seal, call.now, { chain, ...head })] : [],
        )
        return { data: { isClean, heads }, text: heads }
      }
      const lines = verdicts.reduce((sum, verdict) => sum + verdict.lines, 0)
      const chains = verdicts.map(({ chain, head, lines, faults }) => ({
        chain: chainName(chain),
        lines,
        head: head && `${head.number}:${head.hash.toString('hex')}`,
        faults: faults.map(({ message }) => message),
      }))
      const text = [
        tableOf(chains, {
          chain: 'chain',
          lines: 'lines',
          head: 'head',
          result: ({ faults }) => (faults.length === 0 ? 'ok' : `${faults.length} faults`),
        }),
        ...chainFaults.map(({ chain, message }) => `${chainName(chain)}: ${message}`),
        ...copyFaults,
        '',
        isClean
          ? describeClean(lines, copy)
          : `THE ${chainFaults.length > 0 ? 'AUDIT LOG' : 'COPY'} WAS CHANGED. Keep the database as it is and investigate.`,
      ]
      return { data: { isClean, lines, chains, copy: copy && showCopy(copy) }, text }
    },
  }),
]

/** Reports what was proven: without a copy, a chain that was cut at its end seems complete. */
function describeClean(lines: number, copy: Copy | undefined): string {
  if (!copy)
    return `All ${lines} lines fit together. Lines cut off at the end of a chain are found with a copy of its heads: --since.`
  return `All ${lines} lines fit together and with ${copy.heads.length} heads of your copy. Lines written after ${copy.to!.toISOString()} are not proven by it.`
}

type Copy = {
  /** Distinct heads without the forged ones, which prove nothing about a chain. */
  heads: KnownHead[]
  from: Date | undefined
  to: Date | undefined
  faults: string[]
}

function showCopy({ heads, from, to, faults }: Copy) {
  const chains = new Set(heads.map(({ chain }) => chain)).size
  return { heads: heads.length, chains, from, to, faults }
}

async function readCopy(seal: Seal, file: string): Promise<Copy> {
  const heads = new Map<string, KnownHead>()
  const faults = new Set<string>()
  let from: Date | undefined
  let to: Date | undefined
  const input = file === '-' ? process.stdin : createReadStream(file)
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      for (const { head, signature } of readSignedHeads(seal, line)) {
        const name = `${chainName(head.chain)}=${head.number}`
        if (signature !== 'valid' && faults.size < auditLimits.faultsShownMax)
          faults.add(`${name} in the copy ${invalid[signature]}`)
        if (signature === 'valid' && !(from && from <= head.signedAt)) from = head.signedAt
        if (signature === 'valid' && !(to && to >= head.signedAt)) to = head.signedAt
        if (signature !== 'forged') heads.set(`${name}:${head.hash.toString('hex')}`, head)
        if (heads.size > auditLimits.headsComparedMax)
          throw refuseCopy(`${file} holds too many heads. Compare it in parts.`)
      }
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'path' in error)
      throw refuseCopy(`${file} cannot be read: ${error.message}`)
    throw error
  }
  if (heads.size + faults.size === 0)
    throw refuseCopy(`${file} holds no signed head. Workers log them as \`audit head\`.`)
  return { heads: [...heads.values()], from, to, faults: [...faults] }
}

const invalid = {
  forged: 'was not signed by this installation',
  other_secret: 'was signed with another secret: set MANILLA_SECRET_OLD to the secret of that time',
} as const

function refuseCopy(message: string): Refusal {
  return new Refusal('validation_failed', { message })
}

async function verifyAudit(
  { db, terminal }: CommandCall,
  given: KnownHead[],
): Promise<ChainVerdict[]> {
  const known = new Map<string, KnownHead[]>((await listChains(db)).map((chain) => [chain, []]))
  for (const head of [...(await listLoggedHeads(db)), ...given]) {
    const heads = known.get(head.chain)
    if (heads) heads.push(head)
    else known.set(head.chain, [head])
  }
  const progress = terminal.startProgress('Recomputing every hash', known.size)
  const verdicts: ChainVerdict[] = []
  try {
    for (const [chain, heads] of known) {
      verdicts.push(await verifyChain(db, chain, { known: heads }))
      progress.step(chainName(chain))
    }
  } finally {
    progress.end()
  }
  return verdicts
}

/** `mer_…=12:<64 hex digits>`, as this command prints it; a signature after it is not checked. */
function readHead(text: string): KnownHead {
  const [, name = '', number, hash] = /^(\w+)=(\d{1,18}):([0-9a-f]{64})(?:@\S+)?$/.exec(text) ?? []
  const chain = readChainName(name)
  if (!chain || number === undefined)
    throw new InvalidArgumentError(
      'Must be such as installation=12: or mer_…=12: and the 64 hex digits of the hash.',
    )
  return { chain, number: BigInt(number), hash: Buffer.from(hash!, 'hex') }
}
