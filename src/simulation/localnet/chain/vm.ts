import type {
  TransactionMetadata,
  InnerInstruction as VmInnerInstruction,
} from 'litesvm/dist/internal.js'
import { Account, Clock, FailedTransactionMetadata, LiteSvm } from 'litesvm/dist/internal.js'
import { localnetLimits } from '../limits.js'
import { type Key, keyBytesOf, keyOf } from './keys.js'
import { loadedPrograms } from './programs.js'
import { showError, type VmTransactionError } from './vm-errors.js'

export type AccountState = { lamports: bigint; owner: Key; executable: boolean; data: Buffer }

export type InnerInstruction = {
  programIdIndex: number
  accounts: number[]
  data: Buffer
  stackHeight: number
}

export type ExecutionOutcome = { err: VmTransactionError | null; logs: string[]; units: number }

export type Simulation = ExecutionOutcome & {
  accounts: Map<Key, AccountState>
  /** By index of the calling instruction. */
  inner: InnerInstruction[][]
  returnData: { program: Key; data: Buffer } | null
}

/**
 * The real Solana VM with the real programs, called with raw bytes. The chain checks blockhash age
 * and repeated signatures: the VM remembers both for too short a time.
 */
export class Vm {
  private svm = new LiteSvm()
  /** Cached reads: mints, programs and payers are in every transaction. */
  private cached = new Map<Key, AccountState | null>()

  constructor() {
    this.svm.setTransactionHistory(0n)
    this.svm.setBlockhashCheck(false)
  }

  read(key: Key): AccountState | null {
    const cached = this.cached.get(key)
    if (cached !== undefined) return cached
    const account = this.svm.getAccount(keyBytesOf(key))
    const state = account === null ? null : stateOf(account)
    const existing = state?.lamports === 0n ? null : state
    if (this.cached.size >= localnetLimits.accountsCachedMax) this.cached.clear()
    // Sysvars such as the clock change with every block, not only by transactions.
    if (existing?.owner !== loadedPrograms.sysvars) this.cached.set(key, existing)
    return existing
  }

  write(key: Key, state: AccountState | null): void {
    const { lamports, owner, executable, data } = state ?? closed
    this.cached.delete(key)
    this.svm.setAccount(
      keyBytesOf(key),
      new Account(lamports, data, keyBytesOf(owner), executable, 18446744073709551615n),
    )
  }

  /** `writable` lists all accounts that the transaction may change. */
  execute(bytes: Buffer, writable: Key[], isVerified: boolean): ExecutionOutcome {
    if (isVerified) this.svm.setSigverify(false)
    const result = this.svm.sendVersionedTransaction(bytes)
    if (isVerified) this.svm.setSigverify(true)
    for (const key of writable) this.cached.delete(key)
    return result instanceof FailedTransactionMetadata
      ? outcomeOf(result.meta(), showError(result.err()))
      : outcomeOf(result, null)
  }

  simulate(bytes: Buffer, verifySignatures: boolean): Simulation {
    this.svm.setSigverify(verifySignatures)
    try {
      const result = this.svm.simulateVersionedTransaction(bytes)
      if (result instanceof FailedTransactionMetadata) {
        const meta = result.meta()
        const outcome = outcomeOf(meta, showError(result.err()))
        return { ...outcome, ...calledOf(meta), accounts: new Map() }
      }
      const accounts = result.postAccounts().map((found) => {
        return [keyOf(found.address), stateOf(found.account())] as const
      })
      const meta = result.meta()
      return { ...outcomeOf(meta, null), ...calledOf(meta), accounts: new Map(accounts) }
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
  owner: loadedPrograms.system,
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

function outcomeOf(meta: TransactionMetadata, err: VmTransactionError | null): ExecutionOutcome {
  return { err, logs: meta.logs(), units: Number(meta.computeUnitsConsumed()) }
}

/** Read only for simulations: it costs a sixth of a transfer. */
function calledOf(meta: TransactionMetadata): Pick<Simulation, 'inner' | 'returnData'> {
  const returned = meta.returnData()
  const data = Buffer.from(returned.data())
  return {
    inner: meta.innerInstructions().map((list) => list.map(showInner)),
    returnData: data.length > 0 ? { program: keyOf(returned.programId()), data } : null,
  }
}

function showInner(inner: VmInnerInstruction): InnerInstruction {
  const instruction = inner.instruction()
  return {
    programIdIndex: instruction.programIdIndex(),
    accounts: [...instruction.accounts()],
    data: Buffer.from(instruction.data()),
    stackHeight: inner.stackHeight(),
  }
}
