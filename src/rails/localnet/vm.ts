import type { TransactionMetadata } from 'litesvm/dist/internal.js'
import { Account, Clock, FailedTransactionMetadata, LiteSvm } from 'litesvm/dist/internal.js'
import { bytesOf, type Key, keyOf } from './keys.js'
import { programs } from './programs.js'
import { showError, type TransactionError } from './vm-errors.js'

export type AccountState = { lamports: bigint; owner: Key; executable: boolean; data: Buffer }

export type InnerInstruction = {
  programIdIndex: number
  accounts: number[]
  data: Buffer
  stackHeight: number
}

export type Outcome = {
  err: TransactionError | null
  logs: string[]
  units: number
  /** By index of the instruction that called them. */
  inner: InnerInstruction[][]
  returnData: { program: Key; data: Buffer } | null
}

export type Simulation = Outcome & { accounts: Map<Key, AccountState> }

/**
 * The real Solana VM with the real programs, spoken to in raw bytes. Age of blockhashes and
 * repeated signatures are the chain's business: the VM's own memory of both is too short.
 */
export class Vm {
  private svm = new LiteSvm()
  /** Programs do not change, and reading one would copy a hundred kilobytes. */
  private executables = new Map<Key, AccountState>()

  constructor() {
    this.svm.setTransactionHistory(0n)
    this.svm.setBlockhashCheck(false)
  }

  read(key: Key): AccountState | null {
    const known = this.executables.get(key)
    if (known) return known
    const account = this.svm.getAccount(bytesOf(key))
    if (account === null || account.lamports() === 0n) return null
    const state = stateOf(account)
    if (state.executable) this.executables.set(key, state)
    return state
  }

  write(key: Key, state: AccountState | null): void {
    const { lamports, owner, executable, data } = state ?? closed
    this.svm.setAccount(
      bytesOf(key),
      new Account(lamports, data, bytesOf(owner), executable, 18446744073709551615n),
    )
  }

  execute(bytes: Buffer): Outcome {
    const result = this.svm.sendVersionedTransaction(bytes)
    return result instanceof FailedTransactionMetadata
      ? outcomeOf(result.meta(), showError(result.err()))
      : outcomeOf(result, null)
  }

  simulate(bytes: Buffer, verifySignatures: boolean): Simulation {
    this.svm.setSigverify(verifySignatures)
    try {
      const result = this.svm.simulateVersionedTransaction(bytes)
      if (result instanceof FailedTransactionMetadata)
        return { ...outcomeOf(result.meta(), showError(result.err())), accounts: new Map() }
      const accounts = result.postAccounts().map((found) => {
        return [keyOf(found.address), stateOf(found.account())] as const
      })
      return { ...outcomeOf(result.meta(), null), accounts: new Map(accounts) }
    } finally {
      this.svm.setSigverify(true)
    }
  }

  rentFor(bytes: number): bigint {
    return this.svm.minimumBalanceForRentExemption(BigInt(bytes))
  }

  setClock(slot: number, unixSeconds: number): void {
    this.svm.setClock(new Clock(BigInt(slot), 0n, 0n, 0n, BigInt(unixSeconds)))
  }
}

const closed: AccountState = {
  lamports: 0n,
  owner: programs.system,
  executable: false,
  data: Buffer.alloc(0),
}

function stateOf(account: Account): AccountState {
  const data = account.data()
  return {
    lamports: account.lamports(),
    owner: keyOf(account.owner()),
    executable: account.executable(),
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
  }
}

function outcomeOf(meta: TransactionMetadata, err: TransactionError | null): Outcome {
  const returned = meta.returnData()
  const data = Buffer.from(returned.data())
  return {
    err,
    logs: meta.logs(),
    units: Number(meta.computeUnitsConsumed()),
    inner: meta.innerInstructions().map((list) =>
      list.map((inner) => {
        const instruction = inner.instruction()
        return {
          programIdIndex: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: Buffer.from(instruction.data()),
          stackHeight: inner.stackHeight(),
        }
      }),
    ),
    returnData: data.length > 0 ? { program: keyOf(returned.programId()), data } : null,
  }
}
