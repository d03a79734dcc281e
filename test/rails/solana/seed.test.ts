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
import {
  createSeedSigner,
  makeMnemonic,
  openSeedFile,
} from '../../../src/rails/solana/keys/seed.js'

const known = `${'abandon '.repeat(11)}about`
const message = Buffer.from('a message')

/** The address that other wallet software derives from these words. */
const firstWallet = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'

test('derives the same wallets as other wallet software', async () => {
  const signer = createSeedSigner(new Secret(known))
  const [first, second, again] = await signer.deriveAddresses([0, 1, 0])
  expect(first).toBe(firstWallet)
  expect(again).toBe(first)
  expect(second).not.toBe(first)
  expect(await signer.deriveAddresses([])).toEqual([])
})

test('reads the words from a file with any whitespace and case', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'seed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'seed.txt')
  writeFileSync(file, `\n ${known.replaceAll(' ', ' \n').toUpperCase()}\n`)
  expect(await openSeedFile(file).deriveAddresses([0])).toEqual([firstWallet])
})

test('signs with the wallet key, verified by kit', async () => {
  const signer = createSeedSigner(makeMnemonic())
  const numbers = [0, 7, 2 ** 31 - 1]
  const wallets = await signer.deriveAddresses(numbers)
  const requests = numbers.map((number, index) => ({ number, wallet: wallets[index]!, message }))
  const signatures = await signer.sign(requests)
  for (const [index, wallet] of wallets.entries()) {
    const key = await getPublicKeyFromAddress(address(wallet))
    expect(await verifySignature(key, signatures[index] as SignatureBytes, message)).toBe(true)
    expect(getAddressEncoder().encode(address(wallet))).toHaveLength(32)
  }
})

// A wrong seed must not sign for another seed's wallets, and must not hand out addresses that
// could never be swept.
test('refuses to sign for a wallet that the seed does not derive', async () => {
  const signer = createSeedSigner(new Secret(known))
  const [wallet] = await createSeedSigner(makeMnemonic()).deriveAddresses([0])
  await expect(signer.sign([{ number: 0, wallet: wallet!, message }])).rejects.toThrow(
    'another address',
  )
  const right = { number: 0, wallet: firstWallet, message }
  await expect(signer.sign([right, { ...right, number: 1 }])).rejects.toThrow('another address')
  for (const number of [-1, 0.5, 2 ** 31, Number.NaN])
    await expect(signer.deriveAddresses([number])).rejects.toThrow('a wallet number')
})

test('an invalid mnemonic is refused without quoting it', () => {
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
    // One in 256 damaged mnemonics is valid by chance.
    if (!(refused instanceof Error)) return
    expect(refused.message).toBe(
      'the wallet seed must be a BIP-39 mnemonic of 12 to 24 English words',
    )
    expect(refused.cause).toBeUndefined()
  })
  fc.assert(check, { numRuns: 60 })
})

test('the signer does not print its mnemonic', async () => {
  const mnemonic = makeMnemonic()
  const shown = inspect([mnemonic, createSeedSigner(mnemonic)], { depth: 9, showHidden: true })
  expect(shown).not.toContain(mnemonic.reveal().split(' ').slice(0, 2).join(' '))
  expect(JSON.stringify({ mnemonic })).toBe('{"mnemonic":"[secret]"}')
  expect(new Set([1, 2, 3].map(() => makeMnemonic().reveal())).size).toBe(3)
})
