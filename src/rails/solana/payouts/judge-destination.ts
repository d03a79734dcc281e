import type { Refusal } from '../../../base/refusal.js'
import { type ChainAccount, readTokenFields, tokenAccountBytes } from '../accounts.js'
import { incinerator, nativePrograms, programs } from '../programs.js'
import { refuse } from './refuse.js'

/** The accounts on the chain; null where there is none. */
export type DestinationAccounts = { wallet: ChainAccount | null; tokenAccount: ChainAccount | null }

type DestinationAddress = { address: string; mint: string; isOnCurve: boolean }

const mintBytes = 82
const multisigBytes = 355
const mintAccountType = 1

const programAddresses = new Set<string>([...Object.values(programs), ...nativePrograms])

/** Sysvars and similar addresses. No known key has such an address. */
const systemAddress = /1{10}$/

/** Refuses what is recognizable by its address alone. */
export function judgeOffline(
  address: string,
  { mints, ours }: { mints: Set<string>; ours: Set<string> },
): Refusal | undefined {
  if (ours.has(address)) return refuseOurs(address)
  if (mints.has(address)) return refuseMint(address)
  if (programAddresses.has(address)) return refuseProgram(address)
  if (address === incinerator) return refuseNonWallet(address, 'burns everything sent to it')
  if (systemAddress.test(address)) return refuseNonWallet(address, 'is a system address')
  return undefined
}

/** Refuses by the accounts on the chain. A missing account on the curve is a fresh wallet. */
export function judgeDestination(
  destination: DestinationAddress,
  found: DestinationAccounts,
): Refusal | undefined {
  return judgeWallet(destination, found.wallet) ?? judgeTokenAccount(destination, found)
}

/** An account that only holds lamports does not count as created. */
export function mustBeCreated({ tokenAccount }: DestinationAccounts): boolean {
  return tokenAccount === null || isEmpty(tokenAccount)
}

function judgeWallet({ address, isOnCurve }: DestinationAddress, wallet: ChainAccount | null) {
  if (wallet?.isExecutable) return refuseProgram(address)
  if (wallet && isTokenProgramOwned(wallet)) return refuseTokenProgramOwned(address, wallet)
  if (wallet && wallet.owner !== programs.system)
    return refuseNonWallet(address, `is owned by the program ${wallet.owner}`)
  if (wallet && wallet.space > 0) return refuseNonWallet(address, 'is a nonce account')
  if (!isOnCurve)
    return refuseNonWallet(address, 'is a program-derived address, which has no private key')
  return undefined
}

function refuseTokenProgramOwned(address: string, account: ChainAccount): Refusal {
  const { space, data } = account
  if (space === mintBytes || data[tokenAccountBytes] === mintAccountType) return refuseMint(address)
  if (space === multisigBytes || space < tokenAccountBytes)
    return refuseNonWallet(address, 'is owned by the token program')
  const { owner } = readTokenFields(account)
  return refuse(
    'destination_not_a_wallet',
    `${address} is a token account. Send the address of the wallet that owns it: ${owner}.`,
  )
}

function judgeTokenAccount(
  { address, mint }: DestinationAddress,
  { tokenAccount }: DestinationAccounts,
) {
  if (tokenAccount === null || isEmpty(tokenAccount)) return undefined
  const { owner, space } = tokenAccount
  const isTokenAccount = owner === programs.token && space === tokenAccountBytes
  const fields = isTokenAccount ? readTokenFields(tokenAccount) : undefined
  if (fields?.owner !== address || fields.mint !== mint)
    return refuse(
      'destination_wrong_token',
      `The token account of ${address} now belongs to another owner. ${askForAnother}`,
    )
  if (fields.isFrozen)
    return refuse(
      'destination_frozen',
      `The issuer froze the token account of ${address}. ${askForAnother}`,
    )
  return undefined
}

function isTokenProgramOwned({ owner }: ChainAccount): boolean {
  return owner === programs.token || owner === programs.token2022
}

function isEmpty({ owner, space }: ChainAccount): boolean {
  return owner === programs.system && space === 0
}

const askForAnother = 'Ask the recipient for another wallet.'

export function refuseOurs(address: string): Refusal {
  return refuse(
    'destination_is_ours',
    `${address} belongs to this service. Send the recipient's wallet address.`,
  )
}

function refuseMint(address: string): Refusal {
  const message = `${address} is a token mint. Send a wallet address.`
  return refuse('destination_is_mint', message)
}

function refuseProgram(address: string): Refusal {
  const message = `${address} is a program. Send a wallet address.`
  return refuse('destination_is_program', message)
}

function refuseNonWallet(address: string, why: string): Refusal {
  const message = `${address} is not a wallet: it ${why}. Send a wallet address.`
  return refuse('destination_not_a_wallet', message)
}
