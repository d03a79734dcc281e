import type { Refusal } from '../../refusal.js'
import { type Account, readTokenFields, tokenAccountBytes } from './accounts.js'
import { incinerator, programs } from './programs.js'
import { refuse } from './refuse.js'

/** What is on the chain at a wallet's address, and at that of its token account. */
export type Found = { wallet: Account | null; tokenAccount: Account | null }

export type Destination = { address: string; mint: string; isOnCurve: boolean }

const mintBytes = 82
const multisigBytes = 355
const mintMark = 1

const programAddresses = new Set<string>(Object.values(programs))

/** What can be told without asking anybody. */
export function judgeOffline(
  address: string,
  { mints, ours }: { mints: Set<string>; ours: Set<string> },
): Refusal | undefined {
  if (ours.has(address))
    return refuse('destination_is_ours', `${address} is an account of this service.`)
  if (mints.has(address)) return refuse('destination_is_mint', `${address} is a token's mint.`)
  if (programAddresses.has(address))
    return refuse('destination_is_program', `${address} is a program.`)
  if (address === incinerator) return notAWallet(address, 'destroys what is sent to it')
  return undefined
}

/**
 * What can be told from what is on the chain. A missing account is a fresh wallet, if anybody can
 * hold its key.
 */
export function judgeDestination(destination: Destination, found: Found): Refusal | undefined {
  return judgeWallet(destination, found.wallet) ?? judgeTokenAccount(destination, found)
}

/** Also when somebody has sent lamports to the address before there was an account. */
export function mustBeCreated({ tokenAccount }: Found): boolean {
  return tokenAccount === null || isEmpty(tokenAccount)
}

function judgeWallet({ address, isOnCurve }: Destination, wallet: Account | null) {
  if (wallet?.isExecutable) return refuse('destination_is_program', `${address} is a program.`)
  if (wallet && isOfTokens(wallet)) return judgeOfTokens(address, wallet)
  if (wallet && wallet.owner !== programs.system)
    return notAWallet(address, `belongs to the program ${wallet.owner}`)
  if (wallet && wallet.space > 0) return notAWallet(address, 'is a nonce account')
  if (!isOnCurve) return notAWallet(address, 'is derived by a program: nobody holds its key')
  return undefined
}

function judgeOfTokens(address: string, account: Account): Refusal {
  const { space, data } = account
  const isMint = space === mintBytes || data[tokenAccountBytes] === mintMark
  if (isMint) return refuse('destination_is_mint', `${address} is a token's mint.`)
  if (space === multisigBytes || space < tokenAccountBytes)
    return notAWallet(address, 'belongs to the token program')
  const { owner } = readTokenFields(account)
  return notAWallet(address, `is a token account; the wallet that owns it is ${owner}`)
}

function judgeTokenAccount({ address, mint }: Destination, { tokenAccount }: Found) {
  if (tokenAccount === null || isEmpty(tokenAccount)) return undefined
  const isSound = tokenAccount.owner === programs.token && tokenAccount.space === tokenAccountBytes
  const fields = isSound ? readTokenFields(tokenAccount) : undefined
  if (fields?.owner !== address || fields.mint !== mint)
    return refuse(
      'destination_wrong_token',
      `The token account of ${address} belongs to somebody else now.`,
    )
  if (fields.isFrozen)
    return refuse('destination_frozen', `The issuer has frozen the token account of ${address}.`)
  return undefined
}

function isOfTokens({ owner }: Account): boolean {
  return owner === programs.token || owner === programs.token2022
}

function isEmpty({ owner, space }: Account): boolean {
  return owner === programs.system && space === 0
}

function notAWallet(address: string, why: string): Refusal {
  return refuse('destination_not_a_wallet', `${address} is no wallet: it ${why}.`)
}
