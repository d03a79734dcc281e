import type { Breakage } from './breakage.js'

/**
 * The files of a breakage as it leaves them, by their path. Throws if a text to
 * replace does not occur exactly once: the code has changed, and so must the breakage.
 */
export function applyBreakage(
  { name, edits }: Breakage,
  readSource: (file: string) => string,
): Map<string, string> {
  const broken = new Map<string, string>()
  for (const edit of edits) {
    const parts = (broken.get(edit.file) ?? readSource(edit.file)).split(edit.old)
    const found = parts.length - 1
    if (found !== 1)
      throw new Error(`${name}: the text occurs ${found} times in ${edit.file}:\n${edit.old}`)
    broken.set(edit.file, parts.join(edit.new))
  }
  return broken
}
