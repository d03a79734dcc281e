import type { BlockCommitment } from '../chain/blocks.js'
import { type Key, keyBytesOf, textOf } from '../chain/keys.js'
import type { Simulation } from '../chain/vm.js'
import { localnetLimits } from '../limits.js'
import type { Node } from '../server/node.js'
import type { Wire } from '../server/wire.js'
import { toAccountJson } from './account-json.js'
import { withContext } from './answer.js'
import { invalid } from './failure.js'
import {
  type Params,
  type RpcConfig,
  readAddressParam,
  readContext,
  readList,
  readRpcConfig,
} from './params.js'
import { decodeTransaction, signatureFailure } from './send.js'
import { refusedSimulation, showInner, showSimulation } from './simulation-json.js'

/** Runs a transaction without effect, on the newest state whatever the commitment. */
export function simulateTransaction(node: Node, [text, options]: Params) {
  const config = readRpcConfig(options)
  const isVerified = config.sigVerify === true
  const isReplaced = config.replaceRecentBlockhash === true
  if (isReplaced && isVerified)
    throw invalid('sigVerify may not be used with replaceRecentBlockhash')
  const sent = decodeTransaction(text, config.encoding ?? 'base58')
  const commitment = readContext(node, config)
  const replacement = isReplaced ? newestBlockhash(node, commitment) : undefined
  const rejection = replacement ? undefined : node.rejectionOf(sent, commitment)
  if (rejection) return withContext(node, commitment, refusedSimulation(rejection))

  const bytes = replacement ? withBlockhash(sent, replacement.key) : sent.bytes
  const simulation = node.chain.accounts.vm.simulate(bytes, isVerified)
  if (simulation.err === 'SignatureFailure') throw signatureFailure()
  return withContext(node, commitment, {
    ...showSimulation(simulation),
    accounts: showAccounts(node, simulation, config.accounts),
    innerInstructions: config.innerInstructions === true ? showInner(simulation.inner) : null,
    replacementBlockhash: replacement?.shown ?? null,
  })
}

function newestBlockhash(node: Node, commitment: BlockCommitment) {
  const height = node.heightAt(commitment)
  const key = node.chain.blocks.hashAt(height)
  const lastValidBlockHeight = height + localnetLimits.blockhashAge
  return { key, shown: { blockhash: textOf(key), lastValidBlockHeight } }
}

function withBlockhash({ bytes, blockhashOffset }: Wire, blockhash: Key): Buffer {
  const copy = Buffer.from(bytes)
  copy.set(keyBytesOf(blockhash), blockhashOffset)
  return copy
}

function showAccounts({ chain }: Node, simulation: Simulation, wanted: RpcConfig[string]) {
  if (wanted === undefined || wanted === null) return null
  const { addresses, encoding = 'base64' } = readRpcConfig(wanted)
  if (simulation.err) return readList(addresses, localnetLimits.accounts).map(() => null)
  return readList(addresses, localnetLimits.accounts).map((address) => {
    const key = readAddressParam(address)
    const state = simulation.accounts.get(key) ?? chain.accounts.read(key)
    return toAccountJson(chain.accounts, state, { encoding })
  })
}
