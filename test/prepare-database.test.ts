import { expect, test } from 'vitest'
import { Secret } from '../src/base/secret.js'
import { prepareDatabase } from '../src/prepare-database.js'
import { emptyDatabase } from './support/database.js'
import { onlySandbox } from './support/open-manilla.js'

const configOf = (letter: string) => ({
  secret: new Secret(letter.repeat(32)),
  bank: onlySandbox.bank,
})
const db = await emptyDatabase()

// With another secret every API key would be rejected and no sealed value could be opened. Starting
// anyway would look like an attack to every merchant.
test('a database is opened only with the secret it was created with', async () => {
  expect(await prepareDatabase(db.url, configOf('a'))).not.toEqual([])
  expect(await prepareDatabase(db.url, configOf('a'))).toEqual([])
  await expect(prepareDatabase(db.url, configOf('b'))).rejects.toThrow(/belongs to another secret/)
})
