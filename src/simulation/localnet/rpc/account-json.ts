import { base58 } from '@scure/base'
import type { Accounts } from '../chain/accounts.js'
import { type Key, keyOf, textOf } from '../chain/keys.js'
import { loadedPrograms } from '../chain/programs.js'
import {
  isMint,
  isTokenAccount,
  readDecimals,
  readSupply,
  readTokenAccount,
  showAmount,
  type TokenState,
} from '../chain/tokens.js'
import type { AccountState } from '../chain/vm.js'
import { u64Max } from './answer.js'
import { invalid, RpcFailure, rpcErrorCodes } from './failure.js'
import type { RpcConfig } from './params.js'

/** Base58 takes quadratic time; Agave has the same limit. */
const base58Bytes = 128

const states = ['uninitialized', 'initialized', 'frozen']

/** An account in Agave's format, in the requested encoding. */
export function toAccountJson(accounts: Accounts, state: AccountState | null, config: RpcConfig) {
  if (state === null) return null
  return {
    lamports: Number(state.lamports),
    data: showData(accounts, state, config),
    owner: textOf(state.owner),
    executable: state.executable,
    rentEpoch: u64Max,
    space: state.data.length,
  }
}

function showData(accounts: Accounts, state: AccountState, { encoding, dataSlice }: RpcConfig) {
  if (encoding === 'jsonParsed') {
    const parsed = parse(accounts, state)
    if (parsed)
      return { program: programName(state.owner), parsed, space: state.data.length } as const
  }
  const data = cut(state.data, dataSlice)
  if (encoding === 'base64' || encoding === 'jsonParsed') return [data.toString('base64'), 'base64']
  if (encoding !== undefined && encoding !== null && encoding !== 'base58' && encoding !== 'binary')
    throw invalid(`Invalid params: unknown encoding ${JSON.stringify(encoding)}`)
  if (data.length > base58Bytes)
    throw new RpcFailure(
      rpcErrorCodes.invalidRequest,
      'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
    )
  const text = base58.encode(data)
  return encoding === 'base58' ? [text, 'base58'] : text
}

function cut(data: Buffer, slice: unknown): Buffer {
  if (slice === undefined || slice === null) return data
  const { offset = 0, length = 0 } = slice as { offset?: number; length?: number }
  return data.subarray(offset, offset + length)
}

export function programName(program: Key): string {
  return program === loadedPrograms.token ? 'spl-token' : 'spl-token-2022'
}

function parse(accounts: Accounts, state: AccountState) {
  if (isTokenAccount(state)) return { type: 'account', info: showTokenAccount(accounts, state) }
  if (!isMint(state)) return undefined
  const info = {
    mintAuthority: optionalKey(state.data, 0),
    supply: readSupply(state).toString(),
    decimals: readDecimals(state),
    isInitialized: state.data[45] === 1,
    freezeAuthority: optionalKey(state.data, 46),
  }
  return { type: 'mint', info }
}

function showTokenAccount(accounts: Accounts, state: TokenState) {
  const { mint, owner, amount } = readTokenAccount(state)
  const { data } = state
  const decimals = accounts.decimalsOf(mint)
  const delegate = optionalKey(data, 72)
  const closeAuthority = optionalKey(data, 129)
  return {
    isNative: data.readUInt32LE(109) === 1,
    mint: textOf(mint),
    owner: textOf(owner),
    state: states[data[108]!],
    tokenAmount: showAmount(amount, decimals),
    ...(delegate && {
      delegate,
      delegatedAmount: showAmount(data.readBigUInt64LE(121), decimals),
    }),
    ...(closeAuthority && { closeAuthority }),
  }
}

function optionalKey(data: Buffer, offset: number): string | null {
  if (data.readUInt32LE(offset) === 0) return null
  return textOf(keyOf(data.subarray(offset + 4, offset + 36)))
}
