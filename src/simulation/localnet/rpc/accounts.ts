import type { BlockCommitment } from '../chain/blocks.js'
import { type Key, textOf } from '../chain/keys.js'
import {
  isMint,
  isTokenAccount,
  isTokenProgram,
  readDecimals,
  readSupply,
  readTokenAccount,
  showAmount,
} from '../chain/tokens.js'
import { localnetLimits } from '../limits.js'
import type { Node } from '../server/node.js'
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

/** Account methods, which read the state at the requested commitment. */
export const accountMethods = {
  getBalance(node: Node, [address, options]: Params) {
    const key = readAddressParam(address)
    const commitment = readContext(node, readRpcConfig(options))
    const lamports = Number(node.readAccount(key, commitment)?.lamports ?? 0n)
    return withContext(node, commitment, lamports)
  },

  getAccountInfo(node: Node, [address, options]: Params) {
    const key = readAddressParam(address)
    const config = readRpcConfig(options)
    const commitment = readContext(node, config)
    return withContext(node, commitment, show(node, key, commitment, config))
  },

  getMultipleAccounts(node: Node, [addresses, options]: Params) {
    const keys = readList(addresses, localnetLimits.accounts).map(readAddressParam)
    const config = { encoding: 'base64', ...readRpcConfig(options) }
    const commitment = readContext(node, config)
    const shown = keys.map((key) => show(node, key, commitment, config))
    return withContext(node, commitment, shown)
  },

  getTokenAccountBalance(node: Node, [address, options]: Params) {
    const key = readAddressParam(address)
    const commitment = readContext(node, readRpcConfig(options))
    const state = node.readAccount(key, commitment)
    if (!state) throw invalid('Invalid param: could not find account')
    if (!isTokenAccount(state)) throw invalid('Invalid param: not a Token account')
    const { mint, amount } = readTokenAccount(state)
    const shown = showAmount(amount, node.chain.accounts.decimalsOf(mint))
    return withContext(node, commitment, shown)
  },

  getTokenSupply(node: Node, [address, options]: Params) {
    const key = readAddressParam(address)
    const commitment = readContext(node, readRpcConfig(options))
    const state = node.readAccount(key, commitment)
    if (!state) throw invalid('Invalid param: could not find account')
    if (!isMint(state)) throw invalid('Invalid param: not a Token mint')
    return withContext(node, commitment, showAmount(readSupply(state), readDecimals(state)))
  },

  getTokenAccountsByOwner(node: Node, [address, filter, options]: Params) {
    const owner = readAddressParam(address)
    const isIncluded = readFilter(node, readRpcConfig(filter))
    const config = readRpcConfig(options)
    const commitment = readContext(node, config)
    const found = node.chain.accounts.tokenAccountsOf(owner).flatMap((key) => {
      const state = node.readAccount(key, commitment)
      if (!isTokenAccount(state)) return []
      const account = readTokenAccount(state)
      if (account.owner !== owner || !isIncluded({ mint: account.mint, program: state.owner }))
        return []
      const shown = toAccountJson(node.chain.accounts, state, config)
      return [{ pubkey: textOf(key), account: shown }]
    })
    return withContext(node, commitment, found)
  },
}

function show(node: Node, key: Key, commitment: BlockCommitment, config: RpcConfig) {
  return toAccountJson(node.chain.accounts, node.readAccount(key, commitment), config)
}

type AccountFilter = (account: { mint: Key; program: Key }) => boolean

function readFilter(node: Node, { mint, programId }: RpcConfig): AccountFilter {
  if (mint !== undefined) {
    const key = readAddressParam(mint)
    if (!isMint(node.chain.accounts.read(key))) throw invalid('Invalid param: could not find mint')
    return (account) => account.mint === key
  }
  const key = readAddressParam(programId)
  if (!isTokenProgram(key)) throw invalid('Invalid param: unrecognized Token program id')
  return (account) => account.program === key
}
