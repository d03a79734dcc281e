import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findSdks } from './drivers.js'

/** The tests of the Python SDK itself; what all SDKs share is in conformance.test.ts. */

const root = path.resolve(import.meta.dirname, '../..')
const folder = path.join(root, 'sdks/python')
const isPresent = findSdks().present.some(({ language }) => language === 'Python')
if (!isPresent) console.log('Not installed, so not tested: Python.')

function python(words: string[], { cwd = folder, input = '' } = {}) {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
  return execFileSync('python3', words, { cwd, input, env, encoding: 'utf8' })
}

describe.runIf(isPresent)('the Python SDK', () => {
  test('passes its unit tests', () => {
    const words = ['-W', 'error::ResourceWarning', '-m', 'unittest']
    const { status, stderr } = spawnSync('python3', words, { cwd: folder, encoding: 'utf8' })
    expect(stderr).toMatch(/Ran \d{2,} tests/)
    expect(status, stderr).toBe(0)
  }, 120_000)

  test('has the version of the TypeScript SDK', () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'sdk/package.json'), 'utf8'))
    const printed = python(['-c', 'import manilla; print(manilla.__version__, end="")'])
    const project = readFileSync(path.join(folder, 'pyproject.toml'), 'utf8')
    expect([printed, /^version = "(.*)"$/m.exec(project)?.[1]]).toEqual([version, version])
  })

  // OpenSSL decides what a valid signature is; half of the cases are damaged in one bit.
  test('judges Ed25519 signatures as OpenSSL does', () => {
    const cases = Array.from({ length: 120 }, (_, index) => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      const message = randomBytes(index * 7)
      const signature = sign(null, message, privateKey)
      if (index % 2 === 1) signature[index % 64]! ^= 1 << (index % 8)
      const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
      const isValid = verify(null, message, publicKey, signature)
      return { words: [key, message, signature].map((one) => one.toString('hex')), isValid }
    })
    const script = [
      'import json, sys',
      'from manilla._ed25519 import verify',
      'cases = json.load(sys.stdin)',
      'print(json.dumps([verify(*map(bytes.fromhex, words)) for words in cases]))',
    ].join('\n')
    const input = JSON.stringify(cases.map(({ words }) => words))
    const verdicts = JSON.parse(python(['-c', script], { input }))
    expect(verdicts).toEqual(cases.map(({ isValid }) => isValid))
    expect(new Set(verdicts)).toEqual(new Set([true, false]))
  })

  // What pip does, without pip: build, put the wheel on the path, import every module from it.
  test('is whole as a wheel', () => {
    const place = mkdtempSync(path.join(tmpdir(), 'manilla-wheel-'))
    const build = `import _build; print(_build.build_wheel(${JSON.stringify(place)}), end="")`
    const wheel = path.join(place, python(['-c', build]))
    const script = [
      'import hashlib, importlib, pkgutil, sys, zipfile, base64',
      `sys.path.insert(0, ${JSON.stringify(wheel)})`,
      'import manilla',
      `assert manilla.__file__.startswith(${JSON.stringify(wheel)}), manilla.__file__`,
      'names = [one.name for one in pkgutil.walk_packages(manilla.__path__, "manilla.")]',
      'for name in names: importlib.import_module(name)',
      `files = zipfile.ZipFile(${JSON.stringify(wheel)})`,
      'record = next(name for name in files.namelist() if name.endswith(".dist-info/RECORD"))',
      'rows = files.read(record).decode().split()',
      'for row in rows[:-1]:',
      '    name, digest, size = row.split(",")',
      '    data = files.read(name)',
      '    found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()',
      '    assert (digest, size) == (f"sha256={found}", str(len(data))), name',
      'assert sorted(files.namelist()) == sorted(row.split(",")[0] for row in rows)',
      'assert "manilla/py.typed" in files.namelist()',
      'print(len(names))',
    ].join('\n')
    const count = Number(python(['-I', '-c', script], { cwd: place }))
    expect(count).toBeGreaterThan(50)
  })
})
