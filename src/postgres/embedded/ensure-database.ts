import { connect } from '../wire/connection.js'
import { isConnectionLost } from '../wire/failures.js'
import { database, urlOf } from './address.js'
import { hasCode } from './other-processes.js'

const applicationName = 'manilla launcher'

/** Creates the database if it is missing. False while the server accepts no connections. */
export async function ensureDatabase(socketDirectory: string): Promise<boolean> {
  try {
    const client = await connect(urlOf(socketDirectory), applicationName)
    await client.end()
    return true
  } catch (error) {
    if (isConnectionLost(error)) return false
    if (!hasCode(error, ['3D000'])) throw error
    await createDatabase(socketDirectory)
    return true
  }
}

async function createDatabase(socketDirectory: string): Promise<void> {
  const client = await connect(urlOf(socketDirectory, 'postgres'), applicationName)
  const creation = client.query(`create database ${database}`).finally(() => client.end())
  await creation.catch((error) => {
    // Another process that started at the same time created it.
    if (!hasCode(error, ['42P04', '23505'])) throw error
  })
}
