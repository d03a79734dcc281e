import { programs } from './programs.js'
import type { Message } from './wire.js'

/** The texts of a transaction's memo instructions. */
export function readMemos({ instructions, keys }: Message): string[] {
  return instructions
    .filter(({ program }) => keys[program] === programs.memo || keys[program] === programs.oldMemo)
    .map(({ data }) => Buffer.from(data).toString('utf8'))
}

/** As Agave lists them beside a signature. */
export function showMemos(message: Message): string | null {
  const memos = readMemos(message).map((memo) => `[${Buffer.byteLength(memo)}] ${memo}`)
  return memos.length > 0 ? memos.join('; ') : null
}
