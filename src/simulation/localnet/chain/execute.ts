import { transactionFeeOf } from '../fees.js'
import { isWritable, type Wire } from '../server/wire.js'
import type { Accounts } from './accounts.js'
import { type Key, keyOf } from './keys.js'
import type { AccountStateChange, Landed } from './records.js'
import { isTokenProgram } from './tokens.js'
import type { AccountState, ExecutionOutcome, Vm } from './vm.js'
import type { VmTransactionError } from './vm-errors.js'

export type Executed = Pick<Landed, 'loaded' | 'changes' | 'hasFailed' | 'meta'> & {
  keys: Key[]
  before: (AccountState | null)[]
}

/** A transaction that cannot land: it pays no fee and changes nothing. */
export type RefusedTransaction = { err: VmTransactionError; logs: string[]; units: number }

/**
 * Runs a transaction and returns what it changed. It has landed if it succeeded or its fee was
 * charged; otherwise it is refused. With `failure`, it pays its fee and fails without running.
 */
export function execute(
  accounts: Accounts,
  transaction: Wire,
  { failure, isVerified = false }: { failure?: VmTransactionError; isVerified?: boolean },
): Executed | RefusedTransaction {
  const loaded = loadKeys(accounts, transaction)
  const keys = [...transaction.keys, ...loaded.writable, ...loaded.readonly]
  const before = keys.map((key) => accounts.read(key))
  const mayChange = keys.map((_, index) => isChangeable(transaction, loaded, index))
  const outcome = failure
    ? fail(accounts.vm, transaction, failure)
    : accounts.vm.execute(
        transaction.bytes,
        keys.filter((_, index) => mayChange[index]),
        isVerified,
      )
  const after = keys.map((key, index) => (mayChange[index] ? accounts.read(key) : before[index]!))
  const { err, logs, units } = outcome
  if (err && before[0]?.lamports === after[0]?.lamports) return { err, logs, units }
  const changes = after.flatMap((state, index): AccountStateChange[] => {
    return isSame(state, before[index]!) ? [] : [{ index, state }]
  })
  const meta = showMeta({ accounts, transaction, keys, outcome, before, after })
  return { loaded, changes, keys, before, hasFailed: err !== null, meta }
}

function isChangeable(transaction: Wire, loaded: Landed['loaded'], index: number): boolean {
  const own = transaction.keys.length
  return index < own ? isWritable(transaction, index) : index < own + loaded.writable.length
}

/** Charges the fee and changes nothing else, like a failed instruction. */
function fail(vm: Vm, transaction: Wire, failure: VmTransactionError): ExecutionOutcome {
  const noOutput = { logs: [], units: 0 }
  if (vm.simulate(transaction.bytes, true).err === 'SignatureFailure')
    return { ...noOutput, err: 'SignatureFailure' }
  const payerKey = transaction.keys[0]!
  const payer = vm.read(payerKey)
  const fee = transactionFeeOf(transaction)
  if (payer === null || payer.lamports < fee) return { ...noOutput, err: 'InsufficientFundsForFee' }
  vm.write(payerKey, { ...payer, lamports: payer.lamports - fee })
  return { ...noOutput, err: failure }
}

/** Addresses that a transaction loads from the current lookup tables. */
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

function isSame(left: AccountState | null, right: AccountState | null): boolean {
  if (left === null || right === null) return left === right
  if (left === right) return true
  return (
    left.lamports === right.lamports && left.owner === right.owner && left.data.equals(right.data)
  )
}

function showMeta(ran: {
  accounts: Accounts
  transaction: Wire
  keys: Key[]
  outcome: ExecutionOutcome
  before: (AccountState | null)[]
  after: (AccountState | null)[]
}): Landed['meta'] {
  const { accounts, transaction, keys, outcome, before, after } = ran
  const lamportsOf = (state: AccountState | null) => Number(state?.lamports ?? 0n)
  // Like Agave: without a token program among the keys, no token balances are reported.
  const showTokens = (states: (AccountState | null)[]) =>
    keys.some(isTokenProgram) ? accounts.showTokens(states) : []
  return {
    err: outcome.err,
    fee: Number(transactionFeeOf(transaction)),
    units: outcome.units,
    before: before.map(lamportsOf),
    after: after.map(lamportsOf),
    tokensBefore: showTokens(before),
    tokensAfter: showTokens(after),
    logs: outcome.logs,
  }
}
