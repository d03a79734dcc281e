import { base58 } from '@scure/base'
import { limits } from '../../base/limits.js'
import { type Endpoints, inGroups } from './endpoints.js'

/** An account as far as we look at accounts: the first bytes of its data are enough. */
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

type Answer = { context: { slot: number | string }; value: (RpcAccount | null)[] }

/** The byte after a token account's fields tells accounts from mints that have extensions. */
const wantedBytes = 166

/** How accounts are asked for. */
export const accountOptions = { encoding: 'base64', dataSlice: { offset: 0, length: wantedBytes } }

export async function readAccounts(
  endpoints: Endpoints,
  addresses: string[],
  commitment: Commitment,
): Promise<(ChainAccount | null)[]> {
  const groups = inGroups(addresses, limits.solana.accountsPerCall)
  const read = await Promise.all(
    groups.map((group) => readAccountsAt(endpoints, group, commitment)),
  )
  return read.flatMap(({ accounts }) => accounts)
}

/** As many as fit in one call, all as of one slot. */
export async function readAccountsAt(
  node: Pick<Endpoints, 'call'>,
  addresses: string[],
  commitment: Commitment,
): Promise<{ accounts: (ChainAccount | null)[]; slot: bigint }> {
  const options = { commitment, ...accountOptions }
  const answer = await node.call<Answer>('getMultipleAccounts', addresses, options)
  const accounts = answer.value.map((shown) => shown && toChainAccount(shown))
  return { accounts, slot: BigInt(answer.context.slot) }
}

export function toChainAccount(shown: RpcAccount): ChainAccount {
  return {
    lamports: BigInt(shown.lamports),
    owner: shown.owner,
    isExecutable: shown.executable,
    space: Number(shown.space),
    data: Buffer.from(shown.data[0], 'base64'),
  }
}

export type TokenFields = { mint: string; owner: string; amount: bigint; isFrozen: boolean }

export const tokenAccountBytes = 165
const [ownerAt, amountAt, stateAt] = [32, 64, 108]
const frozen = 2

/** The fields of a token account, as both token programs lay them out. */
export function readTokenFields({ data }: ChainAccount): TokenFields {
  return {
    mint: base58.encode(data.subarray(0, ownerAt)),
    owner: base58.encode(data.subarray(ownerAt, amountAt)),
    amount: data.readBigUInt64LE(amountAt),
    isFrozen: data[stateAt] === frozen,
  }
}
