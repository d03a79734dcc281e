import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { ConnectionError, type Manilla, NotFoundError } from '../src/manilla.js'
import { type ApiAccess, modeOf, readJson, writePrivate } from './access.js'
import type { Terminal } from './terminal.js'

/** A webhook endpoint that leads to this machine while `manilla listen` runs. */
export type ListeningEndpoint = {
  secret: string
  /** True if the next run uses the same secret. */
  isKept: boolean
  close(): Promise<void>
}

type Saved = { id: string; secret: string; pid: number }
type ListeningOptions = {
  manilla: Manilla
  terminal: Terminal
  access: ApiAccess
  url: string
  events: string[] | undefined
}

type EventFilter = NonNullable<Parameters<Manilla['webhookEndpoints']['create']>[0]['events']>

/**
 * Reuses one endpoint, disabled between runs, so that its secret stays the same. A second
 * `manilla listen` beside the first gets a temporary endpoint.
 */
export async function openListeningEndpoint(options: ListeningOptions): Promise<ListeningEndpoint> {
  const { manilla, terminal, access } = options
  const file = path.join(terminal.configFolder, 'listen.json')
  const { merchant } = await manilla.profile.get()
  const name = `${access.baseUrl} ${modeOf(access.key)} ${merchant.id}`
  const saved = readSaved(file)[name]
  if (saved && saved.pid !== process.pid && isRunning(saved.pid)) return openTemporary(options)

  const { id, secret } = (saved && (await enable(options, saved))) ?? (await create(options))
  // Read the file again each time: a run against another service may have changed it.
  const save = (pid: number) =>
    writePrivate(file, { ...readSaved(file), [name]: { id, secret, pid } })
  try {
    save(process.pid)
  } catch (error) {
    await manilla.webhookEndpoints.delete(id)
    throw error
  }
  return {
    secret,
    isKept: true,
    async close() {
      save(0)
      await tolerateAbsence(terminal, () => manilla.webhookEndpoints.update(id, { enabled: false }))
    },
  }
}

function readSaved(file: string): Record<string, Saved> {
  return existsSync(file) ? readJson<Record<string, Saved>>(file) : {}
}

/** The service may have stopped first; the next run repairs the endpoint. */
async function tolerateAbsence(terminal: Terminal, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ConnectionError) && !(error instanceof NotFoundError)) throw error
    terminal.note(`Could not disable the endpoint: ${error.message}`)
  }
}

async function enable(
  { manilla, url, events }: ListeningOptions,
  saved: Saved,
): Promise<Saved | undefined> {
  try {
    await manilla.webhookEndpoints.update(saved.id, {
      url,
      events: toFilter(events),
      enabled: true,
    })
    return saved
  } catch (error) {
    // Deleted, or the database was replaced.
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

async function openTemporary(options: ListeningOptions): Promise<ListeningEndpoint> {
  const { id, secret } = await create(options)
  return {
    secret,
    isKept: false,
    close: () =>
      tolerateAbsence(options.terminal, () => options.manilla.webhookEndpoints.delete(id)),
  }
}

/** Deletes disabled endpoints of this machine whose secret is lost. */
async function deleteStale(manilla: Manilla, description: string): Promise<void> {
  for await (const endpoint of manilla.webhookEndpoints.list())
    if (endpoint.description === description && endpoint.disabledReason === 'merchant')
      await manilla.webhookEndpoints.delete(endpoint.id)
}

async function create({
  manilla,
  url,
  events,
}: ListeningOptions): Promise<{ id: string; secret: string }> {
  const description = `manilla listen on ${hostname()}`.slice(0, 100)
  await deleteStale(manilla, description)
  const { id, secret } = await manilla.webhookEndpoints.create({
    url,
    events: toFilter(events),
    description,
  })
  return { id, secret }
}

function toFilter(events: string[] | undefined): EventFilter {
  return (events ?? ['*']) as EventFilter
}

function isRunning(pid: number): boolean {
  if (pid === 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
