import { base58 } from '@scure/base'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RpcCall } from './endpoint.js'

/** Integers of sixteen digits and more arrive as texts: see `readJson`. */
const whole = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+$' })])
const orNull = (schema: TSchema) => Type.Union([Type.Null(), schema])
const context = Type.Object({ slot: whole })
const time = Type.Optional(orNull(Type.Integer()))
/** Of what is very old, nodes do not know them. */
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
  lamports: whole,
  owner: Type.String(),
  executable: Type.Boolean(),
  space: whole,
  data: Type.Tuple([Type.String(), Type.Literal('base64')]),
})

const status = Type.Object({
  slot: whole,
  confirmationStatus: orNull(Type.String()),
  err: Type.Unknown(),
})

const line = Type.Object({
  signature: Type.String(),
  slot: whole,
  err: Type.Unknown(),
  memo: orNull(Type.String()),
  blockTime: time,
})

const transaction = Type.Object({
  slot: whole,
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

/** What we read of the answers, by method. */
const shapes: Record<string, TSchema> = {
  getGenesisHash: Type.String(),
  getEpochInfo: Type.Object({ blockHeight: whole, absoluteSlot: whole }),
  getFirstAvailableBlock: whole,
  getBlockTime: orNull(Type.Integer()),
  getMinimumBalanceForRentExemption: whole,
  getLatestBlockhash: Type.Object({
    value: Type.Object({
      blockhash: Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' }),
      lastValidBlockHeight: whole,
    }),
  }),
  isBlockhashValid: Type.Object({ context, value: Type.Boolean() }),
  getSignatureStatuses: Type.Object({ context, value: Type.Array(orNull(status)) }),
  getMultipleAccounts: Type.Object({ value: Type.Array(orNull(account)) }),
  simulateTransaction: Type.Object({ value: Type.Object({ err: Type.Unknown() }) }),
  getSignaturesForAddress: Type.Array(line),
  getTransaction: orNull(transaction),
  getTokenAccountsByOwner: Type.Object({
    value: Type.Array(Type.Object({ pubkey: Type.String(), account })),
  }),
}

const validators = new Map(
  Object.entries(shapes).map(([method, schema]) => [method, Compile(schema)]),
)

const signatureBytes = 64
const base58Text = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/** These answer a list with a list. One that is shorter would say that the rest is not there. */
const answersEach = new Set(['getSignatureStatuses', 'getMultipleAccounts'])

/** Whether a result can be read as the answer to the call; of calls we do not read, any can. */
export function hasShape({ method, params }: RpcCall, result: unknown): boolean {
  const validator = validators.get(method)
  if (validator && !validator.Check(result)) return false
  if (method === 'getSignaturesForAddress')
    return (result as { signature: string }[]).every(({ signature }) => isSignature(signature))
  if (!answersEach.has(method)) return true
  return (result as { value: unknown[] }).value.length === (params[0] as unknown[]).length
}

/** Other nodes are not able to say that they do not know what they could not even look for. */
function isSignature(text: string): boolean {
  return base58Text.test(text) && base58.decode(text).length === signatureBytes
}
