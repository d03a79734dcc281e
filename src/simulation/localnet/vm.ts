import type {
  TransactionMetadata,
  InnerInstruction as VmInnerInstruction,
} from 'litesvm/dist/internal.js'
import { Account, Clock, FailedTransactionMetadata, LiteSvm } from 'litesvm/dist/internal.js'
import { type Key, keyBytesOf, keyOf } from './keys.js'
import { localnetLimits } from './limits.js'
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
  /** By index of the instruction that called them. */
  inner: InnerInstruction[][]
  returnData: { program: Key; data: Buffer } | null
}

/**
 * The real Solana VM with the real programs, spoken to in raw bytes. Age of blockhashes and
 * repeated signatures are the chain's business: the VM's own memory of both is too short.
 */
export class Vm {
  private svm = new LiteSvm()
  /** What was read since it last changed: mints, programs and payers are in every transaction. */
  private known = new Map<Key, AccountState | null>()

  constructor() {
    this.svm.setTransactionHistory(0n)
    this.svm.setBlockhashCheck(false)
  }

  read(key: Key): AccountState | null {
    const known = this.known.get(key)
    if (known !== undefined) return known
    const account = this.svm.getAccount(keyBytesOf(key))
    const state = account === null ? null : stateOf(account)
    const living = state?.lamports === 0n ? null : state
    if (this.known.size >= localnetLimits.accountsRemembered) this.known.clear()
    // The clock and its like change with every block, not only by transactions.
    if (living?.owner !== loadedPrograms.sysvars) this.known.set(key, living)
    return living
  }

  write(key: Key, state: AccountState | null): void {
    const { lamports, owner, executable, data } = state ?? closed
    this.known.delete(key)
    this.svm.setAccount(
      keyBytesOf(key),
      new Account(lamports, data, keyBytesOf(owner), executable, 18446744073709551615n),
    )
  }

  /** Runs a transaction that may change these accounts and no others. */
  execute(bytes: Buffer, writable: Key[], isVerified: boolean): ExecutionOutcome {
    if (isVerified) this.svm.setSigverify(false)
    const result = this.svm.sendVersionedTransaction(bytes)
    if (isVerified) this.svm.setSigverify(true)
    for (const key of writable) this.known.delete(key)
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

/** Asked for only by those who simulate: to fetch it costs a sixth of what a transfer does. */
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
