import type { World } from './world.js'

/** Shows that something moves while somebody waits at a terminal. */
export async function withSpinner<Result>(
  world: World,
  label: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!world.isInteractive) return work()
  const { spinner } = await import('@clack/prompts')
  const shown = spinner({ indicator: 'timer', output: process.stderr })
  shown.start(label)
  try {
    const result = await work()
    shown.stop(label)
    return result
  } catch (error) {
    shown.error(label)
    throw error
  }
}
