import { setTimeout as sleep } from 'node:timers/promises'
import { listProcessesIn, signalAll, titleOf } from './processes.mjs'

const lagMs = 1_000

/**
 * Ways to lose a primary. `hit` does the damage; `repair` runs after another node has taken over,
 * so that the old primary has to notice, rewind and rejoin. `others` are the standbys.
 */
export const faults = {
  'kill -9 PostgreSQL': {
    hit: ({ postmaster }) => process.kill(postmaster, 'SIGKILL'),
    repair() {},
  },
  'kill -9 Patroni and PostgreSQL': {
    hit(node) {
      process.kill(node.patroni.pid, 'SIGKILL')
      process.kill(node.postmaster, 'SIGKILL')
    },
    repair: (node) => node.start(),
  },
  // PostgreSQL runs on and is not demoted. Its commits wait for a standby that has disconnected.
  'kill -9 Patroni': {
    hit: ({ patroni }) => process.kill(patroni.pid, 'SIGKILL'),
    repair: (node) => node.start(),
  },
  // Without synchronous replication, the writes of the last second would be lost.
  'kill -9 while standbys lag': {
    async prepare(others) {
      const receivers = others.flatMap(findReceivers)
      if (receivers.length !== others.length) throw new Error('A standby does not stream.')
      signalAll(receivers, 'SIGSTOP')
      await sleep(lagMs)
    },
    hit(node, others) {
      process.kill(node.patroni.pid, 'SIGKILL')
      process.kill(node.postmaster, 'SIGKILL')
      const receivers = others.flatMap(findReceivers)
      // SIGTERM comes first, so that a receiver ends without reading what its socket still holds.
      signalAll(receivers, 'SIGTERM')
      signalAll(receivers, 'SIGCONT')
    },
    repair: (node) => node.start(),
  },
  'freeze (SIGSTOP)': {
    hit: ({ folder }) => signalAll(listProcessesIn(folder), 'SIGSTOP'),
    repair: ({ folder }) => signalAll(listProcessesIn(folder), 'SIGCONT'),
  },
}

/** The process of a standby that receives the write-ahead log. */
function findReceivers({ folder }) {
  return listProcessesIn(folder).filter((pid) => titleOf(pid).includes('walreceiver'))
}
