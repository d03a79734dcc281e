import { decodeBase58 } from '../../../money/solana-address.js'
import type { BlockCommitment } from '../chain/blocks.js'
import { textOf } from '../chain/keys.js'
import { verifySignatures } from '../chain/verify-signatures.js'
import { describeError, type VmTransactionError } from '../chain/vm-errors.js'
import { airdrop } from '../faucet.js'
import type { FaultSubject } from '../faults.js'
import { localnetLimits } from '../limits.js'
import type { Node } from '../server/node.js'
import { MalformedTransaction, readWire, type Wire } from '../server/wire.js'
import { invalid, nodeBehind, RpcFailure, rpcErrorCodes } from './failure.js'
import {
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

/** Default error of a failing transaction: insufficient tokens. */
const insufficientTokens = (transaction: Wire): VmTransactionError => ({
  InstructionError: [transaction.instructions.length - 1, { Custom: 1 }],
})

/** Calls whose signatures were verified before they run. */
const verified = new WeakMap<Params, Wire>()

/**
 * Verifies the signatures of a batch in parallel, on other threads. Calls that cannot be parsed or
 * have a wrong signature fail later, when they run.
 */
export async function verifyAhead(sends: Params[]): Promise<void> {
  await Promise.all(
    sends.map(async (params) => {
      const transaction = findTransaction(params)
      if (transaction && (await verifySignatures(transaction))) verified.set(params, transaction)
    }),
  )
}

/** Undefined if it cannot be parsed. */
export function findTransaction([text, config]: Params): Wire | undefined {
  try {
    return decodeTransaction(text, readRpcConfig(config).encoding ?? 'base58')
  } catch (error) {
    if (error instanceof RpcFailure) return undefined
    throw error
  }
}

export const sendMethods = {
  sendTransaction(node: Node, params: Params) {
    const [text, options] = params
    const config = readRpcConfig(options)
    const known = verified.get(params)
    const transaction = known ?? decodeTransaction(text, config.encoding ?? 'base58')
    const isVerified = known !== undefined
    const skipsPreflight = config.skipPreflight === true
    const commitment = skipsPreflight ? 'processed' : readCommitment(config.preflightCommitment)
    requireSlot(node, config, commitment)
    if (!skipsPreflight) preflight(node, { transaction, commitment, isVerified })
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

/** A transaction that no block accepts never lands; a node cannot know that when it responds. */
function forward({ chain, faults }: Node, transaction: Wire, isVerified: boolean): void {
  const subject = subjectOf(transaction)
  if (faults.take(['drop'], subject)) {
    chain.dropDelayed(transaction.signature)
    return
  }
  const failing = faults.take(['fail'], subject)
  const failure = failing && (failing.error ?? insufficientTokens(transaction))
  const delay = faults.take(['delay'], subject)
  const options = { isVerified, ...(failure && { failure }) }
  if (delay) chain.delay(transaction, delay.slots ?? 1, options)
  else chain.land(transaction, options)
  if (faults.take(['lose_reply'], subject))
    throw new RpcFailure(rpcErrorCodes.internal, 'Internal error')
}

/** Rejects what a node detects before it forwards a transaction. */
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
  const rejection = node.rejectionOf(transaction, commitment)
  if (rejection) throw preflightFailure(rejection, refusedSimulation(rejection))
  if (simulation.err) throw preflightFailure(simulation.err, showSimulation(simulation))
}

function preflightFailure(err: VmTransactionError, data: SimulationJson): RpcFailure {
  const message = `Transaction simulation failed: ${describeError(err)}`
  return new RpcFailure(rpcErrorCodes.preflight, message, data)
}

export function signatureFailure(): RpcFailure {
  return new RpcFailure(rpcErrorCodes.signature, 'Transaction signature verification failure')
}

export function subjectOf(transaction: Wire): FaultSubject {
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
  const lengthMax = encoding === 'base58' ? 1_683 : 1_644
  const { transactionBytes } = localnetLimits
  if (text.length > lengthMax) {
    const size = `${text.length} bytes (max: encoded/raw ${lengthMax}/${transactionBytes})`
    throw invalid(`${encoding} encoded ${typeName} too large: ${size}`)
  }
  if (encoding === 'base64') return Buffer.from(text, 'base64')
  const bytes = decodeBase58(text)
  if (!bytes) throw invalid('invalid base58 encoding')
  return Buffer.from(bytes)
}
