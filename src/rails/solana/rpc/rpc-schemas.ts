import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { decodeBase58 } from '../../../money/solana-address.js'

export type RpcCall = { method: string; params: unknown[] }

/** Integers of 16 digits and more arrive as strings: see `parseJson`. */
const uint = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+$' })])
const orNull = (schema: TSchema) => Type.Union([Type.Null(), schema])
const context = Type.Object({ slot: uint })
const time = Type.Optional(orNull(Type.Integer()))
/** Nodes omit them for very old transactions. */
const balances = Type.Optional(
  orNull(
    Type.Array(
      Type.Object({
        accountIndex: Type.Integer(),
        mint: Type.String(),
        owner: Type.Optional(Type.String()),
        uiTokenAmount: Type.Object({ amount: Type.String({ pattern: '^[0-9]+$' }) }),
      }),
    ),
  ),
)

const account = Type.Object({
  lamports: uint,
  owner: Type.String(),
  executable: Type.Boolean(),
  space: uint,
  data: Type.Tuple([Type.String(), Type.Literal('base64')]),
})

const status = Type.Object({
  slot: uint,
  confirmationStatus: Type.Optional(orNull(Type.String())),
  err: Type.Unknown(),
})

const signatureInfo = Type.Object({
  signature: Type.String(),
  slot: uint,
  err: Type.Unknown(),
  memo: orNull(Type.String()),
  blockTime: time,
})

const transaction = Type.Object({
  slot: uint,
  blockTime: time,
  meta: orNull(
    Type.Object({
      err: Type.Unknown(),
      preTokenBalances: balances,
      postTokenBalances: balances,
      loadedAddresses: Type.Optional(
        Type.Object({
          writable: Type.Array(Type.String()),
          readonly: Type.Array(Type.String()),
        }),
      ),
    }),
  ),
  transaction: Type.Object({ message: Type.Object({ accountKeys: Type.Array(Type.String()) }) }),
})

/** The fields we read from each result, by method. */
const schemas: Record<string, TSchema> = {
  getGenesisHash: Type.String(),
  getEpochInfo: Type.Object({ blockHeight: uint, absoluteSlot: uint }),
  getFirstAvailableBlock: uint,
  getBlockTime: orNull(Type.Integer()),
  getMinimumBalanceForRentExemption: uint,
  getLatestBlockhash: Type.Object({
    context,
    value: Type.Object({
      blockhash: Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' }),
      lastValidBlockHeight: uint,
    }),
  }),
  isBlockhashValid: Type.Object({ context, value: Type.Boolean() }),
  getSignatureStatuses: Type.Object({ context, value: Type.Array(orNull(status)) }),
  getMultipleAccounts: Type.Object({ context, value: Type.Array(orNull(account)) }),
  simulateTransaction: Type.Object({ value: Type.Object({ err: Type.Unknown() }) }),
  getSignaturesForAddress: Type.Array(signatureInfo),
  getTransaction: orNull(transaction),
  getTokenAccountsByOwner: Type.Object({
    value: Type.Array(Type.Object({ pubkey: Type.String(), account })),
  }),
}

const validators = new Map(
  Object.entries(schemas).map(([method, schema]) => [method, Compile(schema)]),
)

const signatureBytes = 64

/** One byte more than a token account: it distinguishes accounts from mints with extensions. */
export const accountDataBytes = 166

const accountMethods = new Set(['getMultipleAccounts', 'getTokenAccountsByOwner'])

/** A shorter list would read as "the rest does not exist". */
const listMethods = new Set(['getSignatureStatuses', 'getMultipleAccounts'])

/** Whether the result is valid for the call. Methods without a schema accept anything. */
export function isValidResult({ method, params }: RpcCall, result: unknown): boolean {
  const validator = validators.get(method)
  if (validator && !validator.Check(result)) return false
  if (method === 'getSignaturesForAddress')
    return (result as { signature: string }[]).every(({ signature }) => isSignature(signature))
  if (!hasWholeAccounts(method, result)) return false
  if (!listMethods.has(method)) return true
  return (result as { value: unknown[] }).value.length === (params[0] as unknown[]).length
}

type AccountData = { space: number | string; data: [string, 'base64'] }

/** Data that is shorter than the space of the account would be read beyond its end. */
function hasWholeAccounts(method: string, result: unknown): boolean {
  if (!accountMethods.has(method)) return true
  const { value } = result as { value: (AccountData | { account: AccountData } | null)[] }
  return value.every((entry) => {
    if (entry === null) return true
    const { space, data } = 'account' in entry ? entry.account : entry
    const bytes = Buffer.byteLength(data[0], 'base64')
    return bytes >= Math.min(Number(space), accountDataBytes)
  })
}

/** Other nodes cannot deny a malformed signature: they reject the lookup instead. */
function isSignature(text: string): boolean {
  return text.length <= 88 && decodeBase58(text)?.length === signatureBytes
}
