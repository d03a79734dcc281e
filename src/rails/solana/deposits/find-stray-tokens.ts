import { limits } from '../../../base/limits.js'
import type { WalletRail } from '../../../collections/ports.js'
import { accountOptions, type RpcAccount, readTokenFields, toChainAccount } from '../accounts.js'
import { bytesOf, deriveTokenAccount } from '../addresses.js'
import { type Mints, programs } from '../programs.js'
import { inGroups, type RpcNodes, resultOf } from '../rpc/nodes.js'

type TokenAccounts = { value: { pubkey: string; account: RpcAccount }[] }

/** Tokens outside the wallets' own token accounts of our coins, under either token program. */
export function createFindStrayTokens(
  nodes: RpcNodes,
  mints: Mints,
): WalletRail['findStrayTokens'] {
  return async (wallets) => {
    const queries = wallets.flatMap((wallet) =>
      [programs.token, programs.token2022].map((programId) => ({ wallet, programId })),
    )
    const strays: Awaited<ReturnType<WalletRail['findStrayTokens']>> = []
    for (const group of inGroups(queries, limits.solana.longAnswersPerRequestMax)) {
      const answers = await nodes.post(group.map(toCall))
      for (const [index, answer] of answers.entries())
        strays.push(...straysIn(group[index]!.wallet, resultOf(answer), mints))
    }
    return strays
  }
}

function toCall({ wallet, programId }: { wallet: string; programId: string }) {
  const options = { commitment: 'finalized', ...accountOptions }
  return { method: 'getTokenAccountsByOwner', params: [wallet, { programId }, options] }
}

function straysIn(wallet: string, { value }: TokenAccounts, mints: Mints) {
  const held = value.map(({ pubkey, account }) => {
    return { address: pubkey, ...readTokenFields(toChainAccount(account)) }
  })
  const expected = Object.values(mints).map((mint) => {
    return deriveTokenAccount(bytesOf(wallet), bytesOf(mint)).address
  })
  return held
    .filter(({ address, amount }) => amount > 0n && !expected.includes(address))
    .map(({ address, mint }) => ({ wallet, address, asset: mint }))
}
