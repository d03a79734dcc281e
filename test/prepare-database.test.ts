import { expect, test } from 'vitest'
import { createSeal } from '../src/base/sealed.js'
import { Secret } from '../src/base/secret.js'
import { prepareDatabase } from '../src/prepare-database.js'
import { emptyDatabase } from './support/database.js'

const seal = (letter: string) => createSeal(new Secret(letter.repeat(32)))
const db = await emptyDatabase()

// With another secret no key would work and nothing sealed could be opened.
test('a database is opened only with the secret it was created with', async () => {
  expect(await prepareDatabase(db.url, seal('a'))).not.toEqual([])
  expect(await prepareDatabase(db.url, seal('a'))).toEqual([])
  await expect(prepareDatabase(db.url, seal('b'))).rejects.toThrow(/belongs to another secret/)
})
