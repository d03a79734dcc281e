import type { Accounts } from './accounts.js'
import { feeOf } from './fees.js'
import { type Key, keyOf, textOf } from './keys.js'
import type { Change, Landed } from './records.js'
import type { AccountState, Outcome, Vm } from './vm.js'
import type { TransactionError } from './vm-errors.js'
import { isWritable, type Wire } from './wire.js'

export type Executed = Pick<Landed, 'loaded' | 'changes' | 'hasFailed' | 'meta'> & {
  keys: Key[]
  before: (AccountState | null)[]
}

/** A transaction that no block takes: it pays no fee and leaves no trace. */
export type Refused = { err: TransactionError; logs: string[]; units: number }

/**
 * Runs a transaction and tells what it changed. It landed if it succeeded or if its fee was taken;
 * otherwise it is refused. With a failure given, it pays its fee and fails so, without running.
 */
export function execute(
  accounts: Accounts,
  transaction: Wire,
  failure?: TransactionError,
): Executed | Refused {
  const loaded = loadKeys(accounts, transaction)
  const keys = [...transaction.keys, ...loaded.writable, ...loaded.readonly]
  const before = keys.map((key) => accounts.read(key))
  const outcome = failure
    ? fail(accounts.vm, transaction, failure)
    : accounts.vm.execute(transaction.bytes)
  const lastWritable = transaction.keys.length + loaded.writable.length
  const after = keys.map((key, index) => {
    const isOwn = index < transaction.keys.length
    const mayChange = isOwn ? isWritable(transaction, index) : index < lastWritable
    return mayChange ? accounts.read(key) : before[index]!
  })
  const { err, logs, units } = outcome
  if (err && before[0]?.lamports === after[0]?.lamports) return { err, logs, units }
  const changes = after.flatMap((state, index): Change[] => {
    return isSame(state, before[index]!) ? [] : [{ index, state }]
  })
  const meta = showMeta({ accounts, transaction, outcome, before, after })
  return { loaded, changes, keys, before, hasFailed: err !== null, meta }
}

/** As a failed instruction leaves it: the fee is gone, nothing else happened. */
function fail(vm: Vm, transaction: Wire, failure: TransactionError): Outcome {
  const nothing = { logs: [], units: 0, inner: [], returnData: null }
  if (vm.simulate(transaction.bytes, true).err === 'SignatureFailure')
    return { ...nothing, err: 'SignatureFailure' }
  const payerKey = transaction.keys[0]!
  const payer = vm.read(payerKey)
  const fee = feeOf(transaction)
  if (payer === null || payer.lamports < fee) return { ...nothing, err: 'InsufficientFundsForFee' }
  vm.write(payerKey, { ...payer, lamports: payer.lamports - fee })
  return { ...nothing, err: failure }
}

/** The addresses that a transaction takes from lookup tables, as the tables are now. */
function loadKeys(accounts: Accounts, { lookups }: Wire): Landed['loaded'] {
  const loaded: Landed['loaded'] = { writable: [], readonly: [] }
  for (const { table, writable, readonly } of lookups) {
    const data = accounts.read(table)?.data
    if (!data) continue
    const pick = (indexes: Uint8Array) =>
      [...indexes].map((index) => keyOf(data.subarray(56 + 32 * index, 88 + 32 * index)))
    loaded.writable.push(...pick(writable))
    loaded.readonly.push(...pick(readonly))
  }
  return loaded
}

function isSame(one: AccountState | null, other: AccountState | null): boolean {
  if (one === null || other === null) return one === other
  if (one === other) return true
  return one.lamports === other.lamports && one.owner === other.owner && one.data.equals(other.data)
}

function showMeta(ran: {
  accounts: Accounts
  transaction: Wire
  outcome: Outcome
  before: (AccountState | null)[]
  after: (AccountState | null)[]
}): Landed['meta'] {
  const { accounts, transaction, outcome, before, after } = ran
  const lamportsOf = (state: AccountState | null) => Number(state?.lamports ?? 0n)
  const { returnData } = outcome
  return {
    err: outcome.err,
    fee: Number(feeOf(transaction)),
    units: outcome.units,
    before: before.map(lamportsOf),
    after: after.map(lamportsOf),
    tokensBefore: accounts.showTokens(before),
    tokensAfter: accounts.showTokens(after),
    logs: outcome.logs,
    inner: outcome.inner.flatMap((list, index): Landed['meta']['inner'] => {
      if (list.length === 0) return []
      const texts = list.map(({ programIdIndex, accounts, data, stackHeight }) => {
        return [programIdIndex, accounts, data.toString('base64'), stackHeight] as const
      })
      return [[index, texts.map((text) => [...text])]]
    }),
    returnData: returnData && [textOf(returnData.program), returnData.data.toString('base64')],
  }
}
