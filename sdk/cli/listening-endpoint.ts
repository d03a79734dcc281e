import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Manilla, NotFoundError } from '../src/manilla.js'
import { type Account, modeOf, readJson, writePrivate } from './accounts.js'
import type { World } from './world.js'

/** An endpoint of the service that leads to this machine for as long as somebody listens. */
export type Ear = { secret: string; close(): Promise<void> }

type Kept = { id: string; secret: string; pid: number }
type Order = {
  manilla: Manilla
  world: World
  account: Account
  url: string
  events: string[] | undefined
}

type EventFilter = NonNullable<Parameters<Manilla['webhookEndpoints']['create']>[0]['events']>

/**
 * The endpoint is kept and switched off between two sittings, so that its secret stays the same and
 * your server need not be told a new one each time. Whoever listens beside another gets one of
 * their own, which is gone afterwards.
 */
export async function openEar(order: Order): Promise<Ear> {
  const { manilla, world, account } = order
  const file = path.join(world.configFolder, 'listen.json')
  const all = existsSync(file) ? readJson<Record<string, Kept>>(file) : {}
  const { merchant } = await manilla.profile.get()
  const place = `${account.baseUrl} ${modeOf(account.key)} ${merchant.id}`
  const kept = all[place]
  if (kept && kept.pid !== process.pid && isRunning(kept.pid)) return openTemporary(order)

  const ear = (kept && (await switchOn(order, kept))) ?? (await create(order))
  const keep = (pid: number) => writePrivate(file, { ...all, [place]: { ...ear, pid } })
  keep(process.pid)
  return {
    secret: ear.secret,
    async close() {
      await manilla.webhookEndpoints.update(ear.id, { enabled: false })
      keep(0)
    },
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

async function openTemporary(order: Order): Promise<Ear> {
  const { id, secret } = await create(order)
  return {
    secret,
    close: async () => {
      await order.manilla.webhookEndpoints.delete(id)
    },
  }
}

async function create({ manilla, url, events }: Order): Promise<{ id: string; secret: string }> {
  const description = 'manilla listen'
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
