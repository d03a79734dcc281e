import { base58 } from '@scure/base'
import { limits } from '../../base/limits.js'
import { inGroups, type RpcNodes } from './rpc/nodes.js'
import { accountDataBytes } from './rpc/rpc-schemas.js'

/** `data` holds only the first bytes, see `accountOptions`. */
export type ChainAccount = {
  lamports: bigint
  owner: string
  isExecutable: boolean
  space: number
  data: Buffer
}

export type Commitment = 'processed' | 'confirmed' | 'finalized'

export type RpcAccount = {
  lamports: number | string
  owner: string
  executable: boolean
  space: number | string
  data: [string, 'base64']
}

type MultipleAccounts = { context: { slot: number | string }; value: (RpcAccount | null)[] }

export const accountOptions = {
  encoding: 'base64',
  dataSlice: { offset: 0, length: accountDataBytes },
}

export async function readAccounts(
  nodes: RpcNodes,
  addresses: string[],
  commitment: Commitment,
): Promise<(ChainAccount | null)[]> {
  const groups = inGroups(addresses, limits.solana.accountsPerCall)
  const read = await Promise.all(groups.map((group) => readAccountsAt(nodes, group, commitment)))
  return read.flatMap(({ accounts }) => accounts)
}

/** For at most `accountsPerCall` addresses, all read at one slot. */
export async function readAccountsAt(
  node: Pick<RpcNodes, 'call'>,
  addresses: string[],
  commitment: Commitment,
): Promise<{ accounts: (ChainAccount | null)[]; slot: bigint }> {
  const options = { commitment, ...accountOptions }
  const { context, value } = await node.call<MultipleAccounts>(
    'getMultipleAccounts',
    addresses,
    options,
  )
  const accounts = value.map((account) => account && toChainAccount(account))
  return { accounts, slot: BigInt(context.slot) }
}

export function toChainAccount(account: RpcAccount): ChainAccount {
  return {
    lamports: BigInt(account.lamports),
    owner: account.owner,
    isExecutable: account.executable,
    space: Number(account.space),
    data: Buffer.from(account.data[0], 'base64'),
  }
}

type TokenFields = { mint: string; owner: string; amount: bigint; isFrozen: boolean }

export const tokenAccountBytes = 165
const [ownerAt, amountAt, stateAt] = [32, 64, 108]
const frozen = 2

/** Both token programs use this layout. */
export function readTokenFields({ data }: ChainAccount): TokenFields {
  return {
    mint: base58.encode(data.subarray(0, ownerAt)),
    owner: base58.encode(data.subarray(ownerAt, amountAt)),
    amount: data.readBigUInt64LE(amountAt),
    isFrozen: data[stateAt] === frozen,
  }
}
