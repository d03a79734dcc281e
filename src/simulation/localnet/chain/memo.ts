import type { TransactionMessage } from '../server/wire.js'
import { loadedPrograms } from './programs.js'

export function readMemoTexts({ instructions, keys }: TransactionMessage): string[] {
  return instructions
    .filter(
      ({ program }) =>
        keys[program] === loadedPrograms.memo || keys[program] === loadedPrograms.oldMemo,
    )
    .map(({ data }) => Buffer.from(data).toString('utf8'))
}

/** In the format of Agave's `getSignaturesForAddress`. */
export function showMemos(message: TransactionMessage): string | null {
  const memos = readMemoTexts(message).map((memo) => `[${Buffer.byteLength(memo)}] ${memo}`)
  return memos.length > 0 ? memos.join('; ') : null
}
