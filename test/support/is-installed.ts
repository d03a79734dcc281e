import { spawnSync } from 'node:child_process'

/** Whether a program is in PATH and runs. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}
