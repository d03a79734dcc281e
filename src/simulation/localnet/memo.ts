import { loadedPrograms } from './programs.js'
import type { TransactionMessage } from './wire.js'

/** The texts of a transaction's memo instructions. */
export function readMemoTexts({ instructions, keys }: TransactionMessage): string[] {
  return instructions
    .filter(
      ({ program }) =>
        keys[program] === loadedPrograms.memo || keys[program] === loadedPrograms.oldMemo,
    )
    .map(({ data }) => Buffer.from(data).toString('utf8'))
}

/** As Agave lists them beside a signature. */
export function showMemos(message: TransactionMessage): string | null {
  const memos = readMemoTexts(message).map((memo) => `[${Buffer.byteLength(memo)}] ${memo}`)
  return memos.length > 0 ? memos.join('; ') : null
}
