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

// The variable is what an operator can change; `connect ECONNREFUSED` names neither.
test('a database that cannot be opened is reported with the variable and what to do', async () => {
  const { host, username } = new URL(db.url)
  const open = (url: string) =>
    prepareDatabase(url, { ...configOf('a'), databaseUrl: new Secret(url) })
  const missing = new URL(db.url)
  missing.pathname = '/no_such_database'
  await expect(open(missing.href)).rejects.toThrow(
    `DATABASE_URL: cannot open "no_such_database" at ${host}. The database does not exist.`,
  )
  await expect(open(`postgres://${username}:hunter2@127.0.0.1:1/x`)).rejects.toThrow(
    /^DATABASE_URL: cannot open 127\.0\.0\.1:1 \(ECONNREFUSED\)\. Check host and port/,
  )
})

// With another secret every API key would be rejected and no sealed value could be opened. Starting
// anyway would look like an attack to every merchant.
test('a database is opened only with the secret it was created with', async () => {
  expect(await prepareDatabase(db.url, configOf('a'))).not.toEqual([])
  expect(await prepareDatabase(db.url, configOf('a'))).toEqual([])
  await expect(prepareDatabase(db.url, configOf('b'))).rejects.toThrow(/belongs to another secret/)
})
