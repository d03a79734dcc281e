import type { BlockCommitment } from '../blocks.js'
import { airdrop } from '../faucet.js'
import type { Suspect } from '../faults.js'
import { textOf } from '../keys.js'
import { localnetLimits } from '../limits.js'
import type { Node } from '../node.js'
import { verifySignatures } from '../verify-signatures.js'
import { describeError, type VmTransactionError } from '../vm-errors.js'
import { MalformedTransaction, readWire, type Wire } from '../wire.js'
import { invalid, nodeBehind, RpcFailure, rpcErrorCodes } from './failure.js'
import {
  decodeBase58,
  type Params,
  type RpcConfig,
  readAddressParam,
  readCommitment,
  readCountParam,
  readRpcConfig,
  requireSlot,
} from './params.js'
import { refusedSimulation, type SimulationJson, showSimulation } from './simulation-json.js'

const typeName = 'solana_transaction::versioned::VersionedTransaction'

/** What a failing transaction fails with unless its rule says otherwise: too few coins. */
const commonFailure = (transaction: Wire): VmTransactionError => ({
  InstructionError: [transaction.instructions.length - 1, { Custom: 1 }],
})

/** Calls whose transaction was found to be well signed before they were run. */
const verified = new WeakMap<Params, Wire>()

/**
 * Checks the signatures of many calls at once, on other threads. Calls that cannot be read or are
 * badly signed are left as they are: running them will say what is wrong.
 */
export async function verifyAhead(sends: Params[]): Promise<void> {
  await Promise.all(
    sends.map(async (params) => {
      const transaction = findTransaction(params)
      if (transaction && (await verifySignatures(transaction))) verified.set(params, transaction)
    }),
  )
}

/** Undefined, if it cannot be read. */
export function findTransaction([text, config]: Params): Wire | undefined {
  try {
    return decodeTransaction(text, readRpcConfig(config).encoding ?? 'base58')
  } catch (error) {
    if (error instanceof RpcFailure) return undefined
    throw error
  }
}

/** Ways to change the chain. */
export const sendMethods = {
  sendTransaction(node: Node, params: Params) {
    const [text, options] = params
    const config = readRpcConfig(options)
    const known = verified.get(params)
    const transaction = known ?? decodeTransaction(text, config.encoding ?? 'base58')
    const isVerified = known !== undefined
    const isUnchecked = config.skipPreflight === true
    const commitment = isUnchecked ? 'processed' : readCommitment(config.preflightCommitment)
    requireSlot(node, config, commitment)
    if (!isUnchecked) preflight(node, { transaction, commitment, isVerified })
    forward(node, transaction, isVerified)
    return textOf(transaction.signature)
  },

  requestAirdrop(node: Node, [address, amount]: Params) {
    const to = textOf(readAddressParam(address))
    const lamports = readCountParam(amount, 'lamports')
    if (lamports > localnetLimits.airdropLamports) throw invalid('Invalid params: too much')
    return textOf(airdrop(node.chain, to, lamports))
  },
}

/** A transaction that no block takes just never lands: the node cannot know when it answers. */
function forward({ chain, faults }: Node, transaction: Wire, isVerified: boolean): void {
  const suspect = suspectOf(transaction)
  if (faults.take(['drop'], suspect)) {
    chain.forget(transaction.signature)
    return
  }
  const failing = faults.take(['fail'], suspect)
  const failure = failing && (failing.error ?? commonFailure(transaction))
  const delay = faults.take(['delay'], suspect)
  const options = { isVerified, ...(failure && { failure }) }
  if (delay) chain.hold(transaction, delay.slots ?? 1, options)
  else chain.land(transaction, options)
  if (faults.take(['lose_reply'], suspect))
    throw new RpcFailure(rpcErrorCodes.internal, 'Internal error')
}

/** What a node finds out before it passes a transaction on, unless it is told not to look. */
function preflight(
  node: Node,
  {
    transaction,
    commitment,
    isVerified,
  }: {
    transaction: Wire
    commitment: BlockCommitment
    isVerified: boolean
  },
): void {
  const { vm } = node.chain.accounts
  const simulation = vm.simulate(transaction.bytes, !isVerified)
  if (simulation.err === 'SignatureFailure') throw signatureFailure()
  if (node.faults.lag > localnetLimits.healthySlots) throw nodeBehind(node.faults.lag)
  const judgement = node.judge(transaction, commitment)
  if (judgement) throw preflightFailure(judgement, refusedSimulation(judgement))
  if (simulation.err) throw preflightFailure(simulation.err, showSimulation(simulation))
}

function preflightFailure(err: VmTransactionError, data: SimulationJson): RpcFailure {
  const message = `Transaction simulation failed: ${describeError(err)}`
  return new RpcFailure(rpcErrorCodes.preflight, message, data)
}

export function signatureFailure(): RpcFailure {
  return new RpcFailure(rpcErrorCodes.signature, 'Transaction signature verification failure')
}

export function suspectOf(transaction: Wire): Suspect {
  return { signature: transaction.signature, keys: transaction.keys, transaction }
}

export function decodeTransaction(text: unknown, encoding: RpcConfig[string]): Wire {
  const { transactionBytes } = localnetLimits
  if (typeof text !== 'string') throw invalid('Invalid params: expected a string')
  const bytes = decodeBytes(text, encoding)
  if (bytes.length > transactionBytes) {
    const size = `${bytes.length} bytes (max: ${transactionBytes} bytes)`
    throw invalid(`decoded ${typeName} too large: ${size}`)
  }
  try {
    return readWire(bytes)
  } catch (error) {
    if (!(error instanceof MalformedTransaction)) throw error
    throw invalid(`failed to deserialize ${typeName}: ${error.message}`)
  }
}

function decodeBytes(text: string, encoding: unknown): Buffer {
  if (encoding !== 'base58' && encoding !== 'base64')
    throw invalid(`unsupported encoding: ${encoding}. Supported encodings: base58, base64`)
  const most = encoding === 'base58' ? 1_683 : 1_644
  const { transactionBytes } = localnetLimits
  if (text.length > most) {
    const size = `${text.length} bytes (max: encoded/raw ${most}/${transactionBytes})`
    throw invalid(`${encoding} encoded ${typeName} too large: ${size}`)
  }
  if (encoding === 'base64') return Buffer.from(text, 'base64')
  const bytes = decodeBase58(text)
  if (!bytes) throw invalid('invalid base58 encoding')
  return Buffer.from(bytes)
}
