import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { ConnectionError, type Manilla, NotFoundError } from '../src/manilla.js'
import { type Access, modeOf, readJson, writePrivate } from './access.js'
import type { World } from './world.js'

/** An endpoint of the service that leads to this machine for as long as somebody listens. */
export type ListeningEndpoint = {
  secret: string
  /** Whether it is the same next time. */
  isKept: boolean
  close(): Promise<void>
}

type Kept = { id: string; secret: string; pid: number }
type Order = {
  manilla: Manilla
  world: World
  access: Access
  url: string
  events: string[] | undefined
}

type EventFilter = NonNullable<Parameters<Manilla['webhookEndpoints']['create']>[0]['events']>

/**
 * The endpoint is kept and switched off between two sittings, so that its secret stays the same and
 * your server need not be told a new one each time. Whoever listens beside another gets one of
 * their own, which is gone afterwards.
 */
export async function openListeningEndpoint(order: Order): Promise<ListeningEndpoint> {
  const { manilla, world, access } = order
  const file = path.join(world.configFolder, 'listen.json')
  const { merchant } = await manilla.profile.get()
  const place = `${access.baseUrl} ${modeOf(access.key)} ${merchant.id}`
  const kept = readKept(file)[place]
  if (kept && kept.pid !== process.pid && isRunning(kept.pid)) return openTemporary(order)

  const { id, secret } = (kept && (await switchOn(order, kept))) ?? (await create(order))
  // Read anew each time: somebody else may listen to another service and keep theirs meanwhile.
  const keep = (pid: number) =>
    writePrivate(file, { ...readKept(file), [place]: { id, secret, pid } })
  try {
    keep(process.pid)
  } catch (error) {
    await manilla.webhookEndpoints.delete(id)
    throw error
  }
  return {
    secret,
    isKept: true,
    async close() {
      keep(0)
      await leave(world, () => manilla.webhookEndpoints.update(id, { enabled: false }))
    },
  }
}

function readKept(file: string): Record<string, Kept> {
  return existsSync(file) ? readJson<Record<string, Kept>>(file) : {}
}

/** The service may have gone first: the endpoint is mended by whoever listens next. */
async function leave(world: World, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ConnectionError) && !(error instanceof NotFoundError)) throw error
    world.note(`The endpoint could not be switched off: ${error.message}`)
  }
}

async function switchOn(order: Order, kept: Kept): Promise<Kept | undefined> {
  const change = { url: order.url, events: toFilter(order.events), enabled: true }
  try {
    await order.manilla.webhookEndpoints.update(kept.id, change)
    return kept
  } catch (error) {
    // Deleted, or of a database that is gone.
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

async function openTemporary(order: Order): Promise<ListeningEndpoint> {
  const { id, secret } = await create(order)
  return {
    secret,
    isKept: false,
    close: () => leave(order.world, () => order.manilla.webhookEndpoints.delete(id)),
  }
}

/** Of this machine, and switched off: their secret is lost, or we would use it. */
async function removeForgotten(manilla: Manilla, description: string): Promise<void> {
  for await (const one of manilla.webhookEndpoints.list())
    if (one.description === description && one.disabledReason === 'merchant')
      await manilla.webhookEndpoints.delete(one.id)
}

async function create({ manilla, url, events }: Order): Promise<{ id: string; secret: string }> {
  const description = `manilla listen on ${hostname()}`.slice(0, 100)
  await removeForgotten(manilla, description)
  const order = { url, events: toFilter(events), description }
  const { id, secret } = await manilla.webhookEndpoints.create(order)
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
