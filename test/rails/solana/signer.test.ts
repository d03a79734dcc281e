import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { base58 } from '@scure/base'
import { createKeyPairSignerFromBytes, signBytes } from '@solana/kit'
import { afterEach, expect, test } from 'vitest'
import { Secret } from '../../../src/base/secret.js'
import { createKeySigner, openKeyFile, type Signer } from '../../../src/rails/solana/keys/signer.js'
import { ProcessSigner } from '../../../src/rails/solana/keys/signer-process.js'
import { newSecret, silent } from './rail.js'

const folders: string[] = []
const signers: Signer[] = []
afterEach(async () => {
  for (const signer of signers.splice(0)) await signer.stop?.()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function newFile(name: string, text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'signer-'))
  folders.push(folder)
  writeFileSync(path.join(folder, name), text, { mode: 0o600 })
  return path.join(folder, name)
}

const messages = [randomBytes(300), randomBytes(1), randomBytes(1_000)]
const bytesIn = (secret: Secret) => Uint8Array.from(JSON.parse(secret.reveal()) as number[])

async function signWithKit(secret: Secret) {
  const { keyPair } = await createKeyPairSignerFromBytes(bytesIn(secret))
  return Promise.all(
    messages.map(async (message) => Buffer.from(await signBytes(keyPair.privateKey, message))),
  )
}

test('a key signs like kit, from a file, as a list and in base58', async () => {
  const secret = newSecret()
  const expected = await signWithKit(secret)
  const { address } = await createKeyPairSignerFromBytes(bytesIn(secret))
  const makers = [
    () => openKeyFile(newFile('id.json', `${secret.reveal()}\n`)),
    () => createKeySigner(secret),
    () => createKeySigner(new Secret(base58.encode(bytesIn(secret)))),
  ]
  for (const make of makers) {
    expect(make().address).toBe(address)
    expect(await make().sign(messages)).toEqual(expected)
  }
})

test('an invalid key is refused without quoting it', () => {
  const good = bytesIn(newSecret())
  const mixed = [...good.subarray(0, 32), ...bytesIn(newSecret()).subarray(32)]
  const texts = ['', 'swordfish0', JSON.stringify([...good.subarray(1)]), JSON.stringify(mixed)]
  for (const text of [...texts, '[300]', '["a"]', '[1,', base58.encode(good.subarray(0, 32))]) {
    const refused = (() => {
      try {
        return createKeySigner(new Secret(text))
      } catch (error) {
        return error as Error
      }
    })()
    expect(refused).toBeInstanceOf(Error)
    expect(inspect(refused)).toMatch(/the treasury key (must be|is damaged)/)
    if (text !== '') expect((refused as Error).message).not.toContain(text)
  }
  expect(inspect(createKeySigner(newSecret()))).not.toMatch(/\d{1,3},\s?\d{1,3},/)
})

/** A minimal external signer; `fault` is code that runs before each signature. */
function startSigner(secret: Secret, fault = '', claimed = secret): ProcessSigner {
  const seed = Buffer.from(bytesIn(secret).subarray(0, 32)).toString('hex')
  const program = newFile(
    'signer.mjs',
    `import { createPrivateKey, sign } from 'node:crypto'
     import { createInterface } from 'node:readline'
     const der = Buffer.from('302e020100300506032b657004220420${seed}', 'hex')
     const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
     let lines = 0
     createInterface({ input: process.stdin }).on('line', (line) => {
       lines += 1
       ${fault}
       console.log(sign(null, Buffer.from(line, 'base64'), key).toString('base64'))
     })`,
  )
  const address = base58.encode(bytesIn(claimed).subarray(32))
  const signer = new ProcessSigner({
    command: process.execPath,
    args: [program],
    address,
    logger: silent,
  })
  signers.push(signer)
  return signer
}

test('an external process signs concurrent batches in order', async () => {
  const secret = newSecret()
  const signer = startSigner(secret)
  const expected = await signWithKit(secret)
  const several = await Promise.all([signer.sign(messages), signer.sign(messages)])
  expect(several).toEqual([expected, expected])
  expect(await signer.sign([])).toEqual([])
})

test('the next message restarts a signer that exited', async () => {
  const secret = newSecret()
  const signer = startSigner(secret, 'if (lines === 4) process.exit(3)')
  const expected = await signWithKit(secret)
  expect(await signer.sign(messages)).toEqual(expected)
  await expect(signer.sign(messages)).rejects.toThrow('exited with 3')
  expect(await signer.sign(messages)).toEqual(expected)
})

test('a signature of another key or message is rejected', async () => {
  const [secret, stranger] = [newSecret(), newSecret()]
  const wrong = [
    startSigner(secret, "line = 'AAAA'"),
    startSigner(secret, 'console.log(`nonsense`)'),
    startSigner(stranger, '', secret),
  ]
  for (const signer of wrong)
    await expect(signer.sign(messages)).rejects.toThrow('returned an invalid signature')
})

test('a signer that cannot start, or is stopped, rejects', async () => {
  const { address } = createKeySigner(newSecret())
  const missing = { command: '/does/not/exist', args: [], address, logger: silent }
  await expect(new ProcessSigner(missing).sign(messages)).rejects.toThrow('could not be started')
  const mute = startSigner(newSecret(), 'return')
  const signing = mute.sign(messages)
  await mute.stop()
  await expect(signing).rejects.toThrow('was stopped')
})
