import { base58 } from '@scure/base'
import { type Key, textOf } from '../chain/keys.js'
import { loadedPrograms } from '../chain/programs.js'
import { isTokenProgram, showAmount } from '../chain/tokens.js'
import type { WireInstruction } from '../server/wire.js'
import { programName } from './account-json.js'

export type Placed = { keys: Key[]; instruction: WireInstruction }

type Parsed = { type: string; info: Record<string, unknown> } | string

/**
 * Parses the instructions that payments consist of. Others are returned with their accounts and
 * data, like Agave's for unknown programs.
 */
export function parseInstruction({ keys, instruction }: Placed) {
  const program = keys[instruction.program]!
  const names = [...instruction.accounts].map((index) => textOf(keys[index]!))
  const data = Buffer.from(instruction.data)
  const [name, parsed] = parse(program, names, data)
  const programId = textOf(program)
  if (parsed === undefined)
    return { programId, accounts: names, data: base58.encode(data), stackHeight: 1 }
  return { program: name, programId, parsed, stackHeight: 1 }
}

function parse(program: Key, names: string[], data: Buffer): [string, Parsed | undefined] {
  if (isTokenProgram(program)) return [programName(program), parseToken(names, data)]
  if (program === loadedPrograms.system) return ['system', parseSystem(names, data)]
  if (program === loadedPrograms.associatedToken)
    return ['spl-associated-token-account', parseAssociated(names, data)]
  if (program === loadedPrograms.memo) return ['spl-memo', data.toString('utf8')]
  return ['', undefined]
}

/** Instruction numbers of the token programs. */
const tokenInstructions = {
  transfer: 3,
  mintTo: 7,
  closeAccount: 9,
  transferChecked: 12,
} as const

function parseToken(names: string[], data: Buffer): Parsed | undefined {
  const [first, second, third, fourth] = names
  if (data[0] === tokenInstructions.closeAccount) {
    const info = { account: first, destination: second, owner: third }
    return { type: 'closeAccount', info }
  }
  if (data.length < 9) return undefined
  const amount = data.readBigUInt64LE(1)
  if (data[0] === tokenInstructions.transfer) {
    const info = { source: first, destination: second, authority: third }
    return { type: 'transfer', info: { ...info, amount: amount.toString() } }
  }
  if (data[0] === tokenInstructions.mintTo) {
    const info = { mint: first, account: second, mintAuthority: third }
    return { type: 'mintTo', info: { ...info, amount: amount.toString() } }
  }
  if (data[0] !== tokenInstructions.transferChecked || data.length !== 10) return undefined
  const tokenAmount = showAmount(amount, data[9]!)
  const info = { source: first, mint: second, destination: third, authority: fourth }
  return { type: 'transferChecked', info: { ...info, tokenAmount } }
}

function parseSystem([source, destination]: string[], data: Buffer): Parsed | undefined {
  const isTransfer = data.length === 12 && data.readUInt32LE(0) === 2
  if (!isTransfer) return undefined
  const lamports = Number(data.readBigUInt64LE(4))
  return { type: 'transfer', info: { source, destination, lamports } }
}

function parseAssociated(names: string[], data: Buffer): Parsed | undefined {
  const [source, account, wallet, mint, systemProgram, tokenProgram] = names
  const type = data.length === 0 ? 'create' : ['create', 'createIdempotent'][data[0]!]
  if (type === undefined) return undefined
  return { type, info: { source, account, wallet, mint, systemProgram, tokenProgram } }
}
