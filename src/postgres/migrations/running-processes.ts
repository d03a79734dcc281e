import type { Statement } from '../statement.js'
import { findNewestKnown } from './migration-files.js'

/**
 * Running processes are found by their listener, a connection that each keeps for as long as it
 * runs. Its application name ends with the newest migration that the process knows.
 */
const kinds = { 'manilla streams': 'API', 'manilla wake-ups': 'worker' } as const

export type ListenerName = keyof typeof kinds

export type RunningProcess = {
  kind: 'API' | 'worker'
  /** Undefined for older versions, whose listeners do not name it. */
  newestKnown: string | undefined
  /** Null for a connection over a socket of the same machine. */
  address: string | null
  since: Date
}

export async function nameListener(name: ListenerName): Promise<string> {
  return `${name} ${await findNewestKnown()}`
}

type Row = { name: string; address: string | null; since: Date }

const listeners: Statement<Row> = {
  text: `
    select application_name as name, host(client_addr) as address, backend_start as since
    from pg_stat_activity
    where datname = current_database() and application_name ~ $1
    order by backend_start`,
  values: [`^(${Object.keys(kinds).join('|')})( \\d{4})?$`],
}

export async function findRunning(
  read: (statement: Statement<Row>) => Promise<Row[]>,
): Promise<RunningProcess[]> {
  const rows = await read(listeners)
  return rows.map(({ name, address, since }) => {
    const [, listener, newestKnown] = /^(.*?)(?: (\d{4}))?$/.exec(name)!
    return { kind: kinds[listener as ListenerName], newestKnown, address, since }
  })
}

export function describeProcess({ kind, address, since }: RunningProcess): string {
  return `${kind}${address ? ` at ${address}` : ''} (since ${since.toISOString()})`
}
