import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { transformSync } from 'rolldown/utils'
import { applyBreakage } from './apply-breakage.js'
import type { Breakage } from './breakage.js'

const root = path.resolve(import.meta.dirname, '../../..')

/**
 * A copy of the repository with a build of its own. Sources are broken in the build only: tests
 * import it, and it is not built again while the sources beside it are those it was built from.
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
    const readSource = (file: string) => readFileSync(path.join(this.folder, file), 'utf8')
    for (const [file, text] of applyBreakage(breakage, readSource)) {
      const isCompiled = file.endsWith('.ts')
      const read = isCompiled ? file.replace(/^src\/(.*)\.ts$/, 'dist/$1.js') : file
      this.#whole.set(read, readSource(read))
      writeFileSync(path.join(this.folder, read), isCompiled ? compile(file, text) : text)
    }
  }

  restore(): void {
    for (const [file, text] of this.#whole) writeFileSync(path.join(this.folder, file), text)
    this.#whole.clear()
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function compile(file: string, text: string): string {
  const { code, errors } = transformSync(file, text, { lang: 'ts' })
  if (errors.length > 0) throw new Error(`${file} does not compile: ${errors[0]}`)
  return code
}
