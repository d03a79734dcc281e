import { listProcessesIn, signalAll } from './processes.mjs'

/**
 * Ways to lose a primary. `hit` does the damage; `repair` runs after another node has taken over,
 * so that the old primary has to notice, rewind and rejoin.
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
  // PostgreSQL runs on with nobody to demote it. Its commits wait for a standby that has left.
  'kill -9 Patroni': {
    hit: ({ patroni }) => process.kill(patroni.pid, 'SIGKILL'),
    repair: (node) => node.start(),
  },
  'freeze (SIGSTOP)': {
    hit: ({ folder }) => signalAll(listProcessesIn(folder), 'SIGSTOP'),
    repair: ({ folder }) => signalAll(listProcessesIn(folder), 'SIGCONT'),
  },
}
