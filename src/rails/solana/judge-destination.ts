import type { Refusal } from '../../base/refusal.js'
import { type ChainAccount, readTokenFields, tokenAccountBytes } from './accounts.js'
import { incinerator, nativePrograms, programs } from './programs.js'
import { refuse } from './refuse.js'

/** What is on the chain at a wallet's address, and at that of its token account. */
export type DestinationAccounts = { wallet: ChainAccount | null; tokenAccount: ChainAccount | null }

export type DestinationAddress = { address: string; mint: string; isOnCurve: boolean }

const mintBytes = 82
const multisigBytes = 355
const mintMark = 1

const programAddresses = new Set<string>([...Object.values(programs), ...nativePrograms])

/** So written were sysvars and their like. Whoever looks for a key that ends so never finds one. */
const endsAsName = /1{10}$/

/** What can be told without asking anybody. */
export function judgeOffline(
  address: string,
  { mints, ours }: { mints: Set<string>; ours: Set<string> },
): Refusal | undefined {
  if (ours.has(address))
    return refuse(
      'destination_is_ours',
      `${address} is an account of this service. Send the address of the recipient.`,
    )
  if (mints.has(address)) return isMint(address)
  if (programAddresses.has(address)) return isProgram(address)
  if (address === incinerator) return notAWallet(address, 'destroys what is sent to it')
  if (endsAsName.test(address)) return notAWallet(address, 'is a name of the chain itself')
  return undefined
}

/**
 * What can be told from what is on the chain. A missing account is a fresh wallet, if anybody can
 * hold its key.
 */
export function judgeDestination(
  destination: DestinationAddress,
  found: DestinationAccounts,
): Refusal | undefined {
  return judgeWallet(destination, found.wallet) ?? judgeTokenAccount(destination, found)
}

/** Also when somebody has sent lamports to the address before there was an account. */
export function mustBeCreated({ tokenAccount }: DestinationAccounts): boolean {
  return tokenAccount === null || isEmpty(tokenAccount)
}

function judgeWallet({ address, isOnCurve }: DestinationAddress, wallet: ChainAccount | null) {
  if (wallet?.isExecutable) return isProgram(address)
  if (wallet && isOfTokens(wallet)) return judgeOfTokens(address, wallet)
  if (wallet && wallet.owner !== programs.system)
    return notAWallet(address, `belongs to the program ${wallet.owner}`)
  if (wallet && wallet.space > 0) return notAWallet(address, 'is a nonce account')
  if (!isOnCurve) return notAWallet(address, 'is derived by a program: nobody holds its key')
  return undefined
}

function judgeOfTokens(address: string, account: ChainAccount): Refusal {
  const { space, data } = account
  if (space === mintBytes || data[tokenAccountBytes] === mintMark) return isMint(address)
  if (space === multisigBytes || space < tokenAccountBytes)
    return notAWallet(address, 'belongs to the token program')
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
  const isSound = tokenAccount.owner === programs.token && tokenAccount.space === tokenAccountBytes
  const fields = isSound ? readTokenFields(tokenAccount) : undefined
  if (fields?.owner !== address || fields.mint !== mint)
    return refuse(
      'destination_wrong_token',
      `The token account of ${address} belongs to somebody else now. ${another}`,
    )
  if (fields.isFrozen)
    return refuse(
      'destination_frozen',
      `The issuer has frozen the token account of ${address}. ${another}`,
    )
  return undefined
}

function isOfTokens({ owner }: ChainAccount): boolean {
  return owner === programs.token || owner === programs.token2022
}

function isEmpty({ owner, space }: ChainAccount): boolean {
  return owner === programs.system && space === 0
}

const another = 'Ask the recipient for another wallet.'

function isMint(address: string): Refusal {
  const message = `${address} is the mint of a token. Send the address of a wallet.`
  return refuse('destination_is_mint', message)
}

function isProgram(address: string): Refusal {
  const message = `${address} is a program. Send the address of a wallet.`
  return refuse('destination_is_program', message)
}

function notAWallet(address: string, why: string): Refusal {
  const message = `${address} is no wallet: it ${why}. Send the address of one.`
  return refuse('destination_not_a_wallet', message)
}
