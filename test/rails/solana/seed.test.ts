import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import {
  address,
  getAddressEncoder,
  getPublicKeyFromAddress,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/base/secret.js'
import { createSeedSigner, makeMnemonic, openSeedFile } from '../../../src/rails/solana/seed.js'

const known = `${'abandon '.repeat(11)}about`
const message = Buffer.from('a message')

/** As other wallets show them for these words. */
const firstWallet = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'

test('the wallets are those that others derive from the same words', async () => {
  const signer = createSeedSigner(new Secret(known))
  const [first, second, again] = await signer.deriveAddresses([0, 1, 0])
  expect(first).toBe(firstWallet)
  expect(again).toBe(first)
  expect(second).not.toBe(first)
  expect(await signer.deriveAddresses([])).toEqual([])
})

test('words are taken from a file, whatever stands between them', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'seed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'seed.txt')
  writeFileSync(file, `\n ${known.replaceAll(' ', ' \n').toUpperCase()}\n`)
  expect(await openSeedFile(file).deriveAddresses([0])).toEqual([firstWallet])
})

test('it signs with the key of the wallet, checked by kit', async () => {
  const signer = createSeedSigner(makeMnemonic())
  const numbers = [0, 7, 2 ** 31 - 1]
  const wallets = await signer.deriveAddresses(numbers)
  const orders = numbers.map((number, index) => ({ number, wallet: wallets[index]!, message }))
  const signatures = await signer.sign(orders)
  for (const [index, wallet] of wallets.entries()) {
    const key = await getPublicKeyFromAddress(address(wallet))
    expect(await verifySignature(key, signatures[index] as SignatureBytes, message)).toBe(true)
    expect(getAddressEncoder().encode(address(wallet))).toHaveLength(32)
  }
})

// A seed that was mixed up must not sign for wallets of another: the coins would not move, and
// whoever believes the addresses would give out ones that nobody can ever empty.
test('it refuses to sign for a wallet that it would derive otherwise', async () => {
  const signer = createSeedSigner(new Secret(known))
  const [wallet] = await createSeedSigner(makeMnemonic()).deriveAddresses([0])
  await expect(signer.sign([{ number: 0, wallet: wallet!, message }])).rejects.toThrow('another')
  const right = { number: 0, wallet: firstWallet, message }
  await expect(signer.sign([right, { ...right, number: 1 }])).rejects.toThrow('another')
  for (const number of [-1, 0.5, 2 ** 31, Number.NaN])
    await expect(signer.deriveAddresses([number])).rejects.toThrow('a number of a key')
})

test('damaged words are refused, and no word of them is told', () => {
  const damaged = fc.constantFrom<(words: string[]) => string[]>(
    (words) => words.slice(1),
    (words) => [...words, words[0]!],
    (words) => words.with(0, 'swordfish'),
    (words) => words.with(23, words[23] === 'zoo' ? 'about' : 'zoo').with(0, 'zebra'),
    (words) => [words.join('')],
    () => [],
  )
  const check = fc.property(damaged, (damage) => {
    const words = damage(makeMnemonic().reveal().split(' '))
    const refused = (() => {
      try {
        return createSeedSigner(new Secret(words.join(' ')))
      } catch (error) {
        return error
      }
    })()
    // One damage in 256 happens to be a mnemonic again.
    if (!(refused instanceof Error)) return
    expect(refused.message).toBe(
      'the seed of the wallets must be a BIP-39 mnemonic of 12 to 24 English words',
    )
    expect(refused.cause).toBeUndefined()
  })
  fc.assert(check, { numRuns: 60 })
})

test('what holds the words does not show them, however it is printed', async () => {
  const mnemonic = makeMnemonic()
  const shown = inspect([mnemonic, createSeedSigner(mnemonic)], { depth: 9, showHidden: true })
  expect(shown).not.toContain(mnemonic.reveal().split(' ').slice(0, 2).join(' '))
  expect(JSON.stringify({ mnemonic })).toBe('{"mnemonic":"[secret]"}')
  expect(new Set([1, 2, 3].map(() => makeMnemonic().reveal())).size).toBe(3)
})
