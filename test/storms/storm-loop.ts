import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../support/seed.js'
import { type Crew, killAndReplace } from './crew.js'
import type { Journal, Kill } from './journal.js'
import { type JournalCallers, Stopped } from './journal-callers.js'
import { untilNoneRemain } from './progress.js'

/** Rows that workers have still to end, by what they are. */
type Open = Record<string, number>

/** Callers that take turns while processes are killed. */
type Loop = {
  crew: Crew
  callers: JournalCallers
  journal: Journal
  random: Random
  /** In total, with those of earlier runs on the journal. */
  operations: number
  kills: number
  connections: number
  takeTurn(): Promise<void>
  countOpen(): Promise<Open>
  say(line: string): void
}

/** Until there were this many kills, and their share of the operations is acknowledged. */
export async function stormUntil(loop: Loop, killsWanted: number): Promise<void> {
  const { journal, callers, kills, operations } = loop
  const shareOf = (count: number) => Math.ceil((operations * count) / kills)
  const killing = async () => {
    while (journal.kills.length < killsWanted && !callers.isStopped) {
      const wanted = shareOf(journal.kills.length + 1) - shareOf(1) / 2
      await untilNoneRemain(`kill ${journal.kills.length + 1}`, () =>
        callers.isStopped ? 0 : Math.max(0, wanted - journal.acknowledged),
      )
      if (!callers.isStopped) await killDuringWork(loop)
    }
  }
  const isEnough = () =>
    journal.kills.length >= killsWanted && journal.acknowledged >= shareOf(killsWanted)
  const works = [operate(loop, isEnough), killing()]
  // The first failure stops the other at once. It is waited for: a kill that is under way would
  // start a process after the crew is stopped.
  const stopped = works.map((work) =>
    work.catch((error) => {
      callers.stop()
      throw error
    }),
  )
  for (const ending of await Promise.allSettled(stopped))
    if (ending.status === 'rejected') throw ending.reason
}

/** Callers that work until the storm is stopped, until `isEnough`, or until one of them fails. */
export async function operate(
  { callers, connections, takeTurn }: Pick<Loop, 'callers' | 'connections' | 'takeTurn'>,
  isEnough: () => boolean,
): Promise<void> {
  const failures: unknown[] = []
  const work = async () => {
    while (!isEnough() && !callers.isStopped) await takeTurn()
  }
  const stopOthers = (error: unknown) => {
    if (!(error instanceof Stopped)) failures.push(error)
    callers.stop()
  }
  await Promise.all(Array.from({ length: connections }, () => work().catch(stopOthers)))
  if (failures.length > 0) throw failures[0]
}

/** A moment at which the victim has work: requests of an API process, open rows of a worker. */
async function killDuringWork(loop: Loop): Promise<void> {
  const { crew, callers, journal, random, countOpen, say } = loop
  const victim = random.integer(0, 1) === 0 ? 'api' : 'worker'
  const crowd = victim === 'api' ? crew.apis : crew.workers
  const index = random.integer(0, crowd.length - 1)
  if (victim === 'worker') await crowd[index]!.untilPrinted('working')
  await sleep(random.integer(0, 300))
  let kill: Kill = { victim, requests: 0, resources: 0 }
  await untilNoneRemain('work is under way', async () => {
    const resources = sumOf(await countOpen())
    kill = { victim, requests: callers.underWay, resources }
    const isUnderWay = victim === 'api' ? kill.requests > 0 : kill.resources > 0
    return !callers.isStopped && !isUnderWay && 'nothing'
  })
  if (callers.isStopped) return
  await killAndReplace(crew, victim, index)
  journal.kill(kill)
  const { requests, resources } = kill
  say(
    `kill ${journal.kills.length}: ${victim} with ${requests} requests and ${resources} resources ` +
      `under way, ${journal.acknowledged} acknowledged`,
  )
}

export async function untilAtRest({
  callers,
  countOpen,
}: Pick<Loop, 'callers' | 'countOpen'>): Promise<void> {
  await untilNoneRemain('everything is at rest', async () => {
    const open = await countOpen()
    return !callers.isStopped && sumOf(open) > 0 && open
  })
}

function sumOf(open: Open): number {
  return Object.values(open).reduce((sum, count) => sum + count, 0)
}
