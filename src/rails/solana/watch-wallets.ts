import type { WalletRail } from '../../collections/ports.js'
import { limits } from '../../limits.js'
import {
  type Account,
  accountOptions,
  readAccountsAt,
  readTokenFields,
  type ShownAccount,
  toAccount,
  tokenAccountBytes,
} from './accounts.js'
import { bytesOf, deriveTokenAccount } from './addresses.js'
import { type Endpoints, inGroups, resultOf } from './endpoints.js'
import { type Mints, programs } from './programs.js'

const { accountsPerCall, requestsUnderWay, longAnswersPerRequest } = limits.solana

export function createReadAmounts(endpoints: Endpoints): WalletRail['readAmounts'] {
  return async (tokenAccounts) => {
    const amounts: bigint[] = []
    const groups = inGroups(tokenAccounts, accountsPerCall)
    for (const some of inGroups(groups, requestsUnderWay)) {
      const read = await Promise.all(
        some.map((group) => readAccountsAt(endpoints, group, 'finalized')),
      )
      const accounts = read.flatMap((each) => each.accounts)
      for (const [index, address] of some.flat().entries())
        amounts.push(amountIn(address, accounts[index] ?? null))
    }
    return amounts
  }
}

/** An account that is no longer the one which its address was derived for holds nothing of ours. */
function amountIn(address: string, account: Account | null): bigint {
  const isTokenAccount = account?.owner === programs.token && account.space === tokenAccountBytes
  if (!isTokenAccount) return 0n
  const { amount, owner, mint } = readTokenFields(account)
  if (amount === 0n) return 0n
  return deriveTokenAccount(bytesOf(owner), bytesOf(mint)).address === address ? amount : 0n
}

type Held = { value: { pubkey: string; account: ShownAccount }[] }

/** Whatever lies elsewhere than where a wallet's coins belong, under either token program. */
export function createFindStrayTokens(
  endpoints: Endpoints,
  mints: Mints,
): WalletRail['findStrayTokens'] {
  return async (wallets) => {
    const asked = wallets.flatMap((wallet) =>
      [programs.token, programs.token2022].map((programId) => ({ wallet, programId })),
    )
    const strays: Awaited<ReturnType<WalletRail['findStrayTokens']>> = []
    for (const group of inGroups(asked, longAnswersPerRequest)) {
      const answers = await endpoints.ask(group.map(callFor))
      for (const [index, answer] of answers.entries())
        strays.push(...straysIn(group[index]!.wallet, resultOf(answer), mints))
    }
    return strays
  }
}

function callFor({ wallet, programId }: { wallet: string; programId: string }) {
  const options = { commitment: 'finalized', ...accountOptions }
  return { method: 'getTokenAccountsByOwner', params: [wallet, { programId }, options] }
}

function straysIn(wallet: string, { value }: Held, mints: Mints) {
  const held = value.map(({ pubkey, account }) => {
    return { address: pubkey, ...readTokenFields(toAccount(account)) }
  })
  const known = Object.values(mints).map((mint) => {
    return deriveTokenAccount(bytesOf(wallet), bytesOf(mint)).address
  })
  return held
    .filter(({ address, amount }) => amount > 0n && !known.includes(address))
    .map(({ address, mint }) => ({ wallet, address, asset: mint }))
}
