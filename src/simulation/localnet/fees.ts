import { loadedPrograms } from './chain/programs.js'
import type { TransactionMessage } from './server/wire.js'

const lamportsPerSignature = 5_000n
const microLamports = 1_000_000n
const unitsPerInstruction = 200_000n
const unitsPerBuiltin = 3_000n
const unitsPerTransaction = 1_400_000n

const builtins: string[] = [loadedPrograms.system, loadedPrograms.computeBudget]

/** A fee per signature, plus the price bid for every compute unit requested, used or not. */
export function transactionFeeOf(message: TransactionMessage): bigint {
  const { price, units } = readBudget(message)
  const bid = (price * units + microLamports - 1n) / microLamports
  return lamportsPerSignature * BigInt(message.header.signers) + bid
}

function readBudget({ instructions, keys }: TransactionMessage): { price: bigint; units: bigint } {
  let price = 0n
  let limit: bigint | undefined
  let fallback = 0n
  for (const { program, data } of instructions) {
    fallback += builtins.includes(keys[program]!) ? unitsPerBuiltin : unitsPerInstruction
    if (keys[program] !== loadedPrograms.computeBudget) continue
    const bytes = Buffer.from(data)
    if (bytes[0] === 2 && bytes.length === 5) limit = BigInt(bytes.readUInt32LE(1))
    if (bytes[0] === 3 && bytes.length === 9) price = bytes.readBigUInt64LE(1)
  }
  const units = limit ?? fallback
  return { price, units: units > unitsPerTransaction ? unitsPerTransaction : units }
}
