import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { transformSync } from 'rolldown/utils'
import { applyBreakage } from './apply-breakage.js'
import type { Breakage } from './breakage.js'

const root = path.resolve(import.meta.dirname, '../../..')

/**
 * A copy of the repository with a build of its own. Only the build is broken: tests import it, and
 * it is not built again as long as the sources beside it are those it was built from.
 */
export class ScratchCopy {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'manilla-mutations-'))
  readonly #whole = new Map<string, string>()

  constructor() {
    execFileSync(process.execPath, [path.join(root, 'bin/build-when-needed.mjs')], {
      stdio: 'inherit',
    })
    // Uncommitted files, too: they are what is being proven.
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
      cwd: root,
      encoding: 'utf8',
    })
    const folders = new Set(listed.split('\0').map((file) => file.split('/')[0]!))
    for (const name of [...folders, 'dist'].filter(Boolean))
      cpSync(path.join(root, name), path.join(this.folder, name), {
        recursive: true,
        filter: (source) => !/\/(node_modules|results)$/.test(source),
      })
    symlinkSync(path.join(root, 'node_modules'), path.join(this.folder, 'node_modules'))
  }

  break(breakage: Breakage): void {
    const readSource = (file: string) => readFileSync(path.join(this.folder, 'src', file), 'utf8')
    for (const [file, text] of applyBreakage(breakage, readSource)) {
      const built = path.join(this.folder, 'dist', file.replace(/\.ts$/, '.js'))
      this.#whole.set(built, readFileSync(built, 'utf8'))
      const { code, errors } = transformSync(file, text, { lang: 'ts' })
      if (errors.length > 0) throw new Error(`${breakage.name} does not compile: ${errors[0]}`)
      writeFileSync(built, code)
    }
  }

  restore(): void {
    for (const [built, code] of this.#whole) writeFileSync(built, code)
    this.#whole.clear()
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
