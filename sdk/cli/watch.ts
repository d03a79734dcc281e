/** Long work that somebody watches. */
export type Watch = {
  /** One step of those that were announced is done. */
  step(said: string): void
  end(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const everyMs = 100
const barWidth = 20
const clearLine = '\r\u001b[K'

/**
 * A bar where the steps are known, else something that turns; nothing where nobody looks. It only
 * writes: what is typed meanwhile, Ctrl-C above all, is none of its business.
 */
export function openWatch(label: string, steps = 0): Watch {
  const { stderr } = process
  if (!stderr.isTTY) return { step: () => {}, end: () => {} }
  let [done, turns, said] = [0, 0, '']
  const show = () => {
    turns += 1
    const filled = Math.round((done / steps) * barWidth)
    const bar = '━'.repeat(filled) + ' '.repeat(barWidth - filled)
    const mark = steps > 0 ? `${bar} ${done}/${steps}` : frames[turns % frames.length]
    const line = `${mark}  ${label}${said && `: ${said}`}`
    stderr.write(clearLine + line.slice(0, (stderr.columns || 80) - 1))
  }
  const timer = setInterval(show, everyMs)
  return {
    step(text) {
      done += 1
      said = text
    },
    end() {
      clearInterval(timer)
      stderr.write(clearLine)
    },
  }
}
