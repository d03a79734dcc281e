import { base58 } from '@scure/base'
import type { FoundTransaction } from '../chain/history.js'
import { textOf } from '../chain/keys.js'
import type { TokenBalance } from '../chain/records.js'
import { showAmount } from '../chain/tokens.js'
import { isWritable, type WireInstruction } from '../server/wire.js'
import { invalid } from './failure.js'
import type { RpcConfig } from './params.js'
import { parseInstruction } from './parsed-instructions.js'

/** A transaction in Agave's format: bytes, fields or parsed fields. */
export function showTransaction(found: FoundTransaction, config: RpcConfig) {
  const { encoding = 'json' } = config
  const isParsed = encoding === 'jsonParsed'
  return {
    slot: found.slot,
    blockTime: found.time,
    meta: showMeta(found, isParsed),
    transaction: showBody(found, encoding),
    ...(config.maxSupportedTransactionVersion !== undefined && {
      version: found.transaction.version,
    }),
  }
}

function showBody(found: FoundTransaction, encoding: unknown) {
  const { wire } = found
  if (encoding === 'base64') return [wire.toString('base64'), 'base64']
  if (encoding === 'base58') return [base58.encode(wire), 'base58']
  if (encoding !== 'json' && encoding !== 'jsonParsed')
    throw invalid(`Invalid params: unknown encoding ${JSON.stringify(encoding)}`)
  const message = encoding === 'json' ? showMessage(found) : parseMessage(found)
  return { signatures: showSignatures(found), message }
}

function showSignatures({ wire, transaction }: FoundTransaction): string[] {
  return Array.from({ length: transaction.signatureCount }, (_, index) => {
    const start = 1 + 64 * index
    return base58.encode(wire.subarray(start, start + 64))
  })
}

function showMessage({ transaction }: FoundTransaction) {
  const { header, keys, blockhash, instructions, lookups, version } = transaction
  return {
    header: {
      numRequiredSignatures: header.signers,
      numReadonlySignedAccounts: header.readonlySigners,
      numReadonlyUnsignedAccounts: header.readonlyOthers,
    },
    accountKeys: keys.map(textOf),
    recentBlockhash: textOf(blockhash),
    instructions: instructions.map((instruction) => showInstruction(instruction)),
    ...(version === 0 && {
      addressTableLookups: lookups.map(({ table, writable, readonly }) => ({
        accountKey: textOf(table),
        writableIndexes: [...writable],
        readonlyIndexes: [...readonly],
      })),
    }),
  }
}

function showInstruction({ program, accounts, data }: WireInstruction) {
  return {
    programIdIndex: program,
    accounts: [...accounts],
    data: base58.encode(data),
    stackHeight: 1,
  }
}

function parseMessage(found: FoundTransaction) {
  const { transaction, keys, loaded } = found
  const own = transaction.keys.length
  return {
    accountKeys: keys.map((key, index) => ({
      pubkey: textOf(key),
      signer: index < transaction.header.signers,
      source: index < own ? 'transaction' : 'lookupTable',
      writable: index < own ? isWritable(transaction, index) : index < own + loaded.writable.length,
    })),
    recentBlockhash: textOf(transaction.blockhash),
    instructions: transaction.instructions.map((instruction) =>
      parseInstruction({ keys, instruction }),
    ),
    ...(transaction.version === 0 && { addressTableLookups: [] }),
  }
}

function showMeta(found: FoundTransaction, isParsed: boolean) {
  const { meta, loaded } = found
  const { err, fee, units } = meta
  return {
    err,
    status: err ? { Err: err } : { Ok: null },
    fee,
    preBalances: meta.before,
    postBalances: meta.after,
    // Like a node that does not record them.
    innerInstructions: null,
    logMessages: meta.logs,
    preTokenBalances: meta.tokensBefore.map(showTokenBalance),
    postTokenBalances: meta.tokensAfter.map(showTokenBalance),
    rewards: [],
    ...(!isParsed && {
      loadedAddresses: {
        writable: loaded.writable.map(textOf),
        readonly: loaded.readonly.map(textOf),
      },
    }),
    computeUnitsConsumed: units,
  }
}

function showTokenBalance({ amount, decimals, ...rest }: TokenBalance) {
  return { ...rest, uiTokenAmount: showAmount(BigInt(amount), decimals) }
}
