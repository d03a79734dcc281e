import { afterFile } from './after-file.js'
import { isRunning, type Program, removeHome } from './program.js'

/** Ends the file's programs that still run and removes their folder. */
export function trackPrograms(home?: string): Program[] {
  const programs: Program[] = []
  afterFile(async () => {
    for (const program of programs) if (isRunning(program.pid)) program.signal('SIGKILL')
    await Promise.all(programs.map((program) => program.ended))
    if (home !== undefined) await removeHome(home)
  })
  return programs
}
