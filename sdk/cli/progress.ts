/** The progress display of a long command. */
export type Progress = {
  /** Marks one step as done. */
  step(label: string): void
  end(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 100
const barWidth = 20
const clearLine = '\r\u001b[K'

/** A bar if the number of steps is known, else a spinner. Does nothing if stderr is no terminal. */
export function startProgress(label: string, steps = 0): Progress {
  const { stderr } = process
  if (!stderr.isTTY) return { step: () => {}, end: () => {} }
  let [done, turns, current] = [0, 0, '']
  const show = () => {
    turns += 1
    const filled = Math.round((done / steps) * barWidth)
    const bar = '━'.repeat(filled) + ' '.repeat(barWidth - filled)
    const mark = steps > 0 ? `${bar} ${done}/${steps}` : frames[turns % frames.length]
    const line = `${mark}  ${label}${current && `: ${current}`}`
    stderr.write(clearLine + line.slice(0, (stderr.columns || 80) - 1))
  }
  const timer = setInterval(show, frameMs)
  return {
    step(text) {
      done += 1
      current = text
    },
    end() {
      clearInterval(timer)
      stderr.write(clearLine)
    },
  }
}
