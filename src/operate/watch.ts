import type { Watch } from './operation.js'

/** A bar where the steps are known, else something that turns; nothing where nobody looks. */
export async function watchAtTerminal(label: string, steps: number): Promise<Watch> {
  const { stderr } = process
  if (!stderr.isTTY) return { step: () => {}, end: () => {} }
  const { progress, spinner } = await import('@clack/prompts')
  const bar = steps > 0 ? progress({ max: steps, output: stderr }) : undefined
  const shown = bar ?? spinner({ indicator: 'timer', output: stderr })
  shown.start(label)
  return { step: (said) => bar?.advance(1, said), end: () => shown.stop(label) }
}
