import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fillIn, readShipped, readUnit } from './shipped-files.mjs'
import { waitUntil } from './wait-until.mjs'

const startMs = 120_000
const rejoinMs = 180_000
const callMs = 2_000
const passwords = {
  PATRONI_SUPERUSER_PASSWORD: 'superuser-of-the-drill',
  PATRONI_REPLICATION_PASSWORD: 'replication-of-the-drill',
  PATRONI_REWIND_PASSWORD: 'rewind-of-the-drill',
}
const databasePassword = 'manilla-of-the-drill'

/**
 * Starts etcd, PostgreSQL nodes under Patroni and HAProxy on loopback, from the examples under
 * deploy/. Resolves when every standby streams and a connection through HAProxy works.
 */
export async function startCluster(site, programs) {
  const etcd = await startEtcd(site, programs)
  const nodes = []
  for (const [index, name] of ['pg1', 'pg2', 'pg3'].entries())
    nodes.push(await prepareNode(site, { name, address: `10.0.0.1${index + 1}`, etcd }))
  const cluster = new Cluster(site, nodes)
  // The first node alone, so that the others copy from it instead of racing to initialize.
  nodes[0].start()
  await waitUntil('the first node is the primary', startMs, () => nodes[0].answers('/primary'))
  for (const node of nodes.slice(1)) node.start()
  await cluster.waitUntilWhole()
  await cluster.startProxy(programs)
  await createDatabase(site, cluster)
  return cluster
}

async function startEtcd(site, { etcd }) {
  const [client, peer] = [await site.takePort(), await site.takePort()]
  const folder = site.makeFolder('etcd')
  const url = (port) => `http://127.0.0.1:${port}`
  const flags = {
    name: 'drill',
    'data-dir': path.join(folder, 'data'),
    'listen-client-urls': url(client),
    'advertise-client-urls': url(client),
    'listen-peer-urls': url(peer),
    'initial-advertise-peer-urls': url(peer),
    'initial-cluster': `drill=${url(peer)}`,
  }
  const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  // Debian's etcd asks for this on ARM; on other machines it has no effect.
  const env = { ETCD_UNSUPPORTED_ARCH: 'arm64' }
  site.start('etcd', [etcd, ...words], { cwd: folder, env, asServer: true })
  await waitUntil('etcd answers', startMs, async () => (await fetch(`${url(client)}/health`)).ok)
  return `127.0.0.1:${client}`
}

/** Writes a node's patroni.yml. Only names, addresses and paths differ from the shipped file. */
async function prepareNode(site, { name, address, etcd }) {
  const folder = site.makeFolder(name)
  const [port, restPort] = [await site.takePort(), await site.takePort()]
  const configFile = path.join(folder, 'patroni.yml')
  const dataFolder = path.join(folder, 'data')
  const config = fillIn(readShipped('patroni.yml'), [
    ['name: pg1', `name: ${name}`],
    ['10.0.0.11:8008', `127.0.0.1:${restPort}`],
    ['10.0.0.11:5432', `127.0.0.1:${port}`],
    ['    - 10.0.0.21:2379\n    - 10.0.0.22:2379\n    - 10.0.0.23:2379', `    - ${etcd}`],
    ['10.0.0.0/24', '127.0.0.1/32'],
    ['/var/lib/postgresql/15/manilla', dataFolder],
    ['/var/lib/postgresql/patroni.pgpass', path.join(folder, 'pgpass')],
    ['/var/run/postgresql', folder],
    // A frozen Patroni would otherwise reset the machine that runs the drill.
    ['mode: automatic', "mode: 'off'"],
  ])
  writeFileSync(configFile, config)
  const unit = readUnit('patroni.service', [['/etc/patroni/patroni.yml', configFile]])
  return new Node(site, { name, address, folder, dataFolder, port, restPort, unit })
}

class Node {
  patroni = undefined
  #site
  #unit

  constructor(site, { unit, ...place }) {
    this.#site = site
    this.#unit = unit
    Object.assign(this, place)
  }

  start() {
    const { command, env } = this.#unit
    const options = { cwd: this.folder, env: { ...env, ...passwords }, asServer: true }
    this.patroni = this.#site.start(this.name, command, options)
  }

  /** The process id of PostgreSQL's postmaster, from its own lock file. */
  get postmaster() {
    return Number.parseInt(readFileSync(path.join(this.dataFolder, 'postmaster.pid'), 'utf8'), 10)
  }

  /** Whether Patroni's REST interface answers 200. */
  async answers(where) {
    const response = await this.#get(where)
    await response?.arrayBuffer()
    return response?.status === 200
  }

  async readCluster() {
    const response = await this.#get('/cluster')
    return response?.json()
  }

  async #get(where) {
    try {
      const signal = AbortSignal.timeout(callMs)
      return await fetch(`http://127.0.0.1:${this.restPort}${where}`, { signal })
    } catch {
      return undefined
    }
  }
}

class Cluster {
  #site

  constructor(site, nodes) {
    this.#site = site
    this.nodes = nodes
  }

  /** Through HAProxy, as the service connects. */
  get databaseUrl() {
    return `postgres://manilla:${databasePassword}@127.0.0.1:${this.proxyPort}/manilla`
  }

  urlAsSuperuser(database) {
    const password = passwords.PATRONI_SUPERUSER_PASSWORD
    return `postgres://postgres:${password}@127.0.0.1:${this.proxyPort}/${database}`
  }

  async startProxy({ haproxy }) {
    this.proxyPort = await this.#site.takePort()
    const folder = this.#site.makeFolder('haproxy')
    const configFile = path.join(folder, 'haproxy.cfg')
    const servers = this.nodes.map(({ address, port, restPort }) => [
      `${address}:5432 check port 8008`,
      `127.0.0.1:${port} check port ${restPort}`,
    ])
    const bind = ['127.0.0.1:5000', `127.0.0.1:${this.proxyPort}`]
    // The comment at the top shows the same address.
    writeFileSync(configFile, fillIn(readShipped('haproxy.cfg'), [...servers, bind]))
    const options = { cwd: folder, asServer: true }
    this.proxy = this.#site.start('haproxy', [haproxy, '-db', '-f', configFile], options)
  }

  /** The node that holds the leader's lease, or undefined. */
  async findPrimary() {
    for (const node of this.nodes) if (await node.answers('/primary')) return node
    return undefined
  }

  /** Waits until a node other than `old` is the primary. */
  waitForNewPrimary(old) {
    const others = this.nodes.filter((node) => node !== old)
    return waitUntil(`a node takes over from ${old.name}`, startMs, async () => {
      for (const node of others) if (await node.answers('/primary')) return node
      return undefined
    })
  }

  /** Waits until every node runs on one timeline and one standby is synchronous. */
  async waitUntilWhole() {
    await waitUntil('every node is back and streams from the primary', rejoinMs, async () => {
      const primary = await this.findPrimary()
      const { members = [] } = (await primary?.readCluster()) ?? {}
      const timelines = new Set(members.map(({ timeline }) => timeline))
      const isStreaming = ({ role, state }) =>
        role === 'leader' ? state === 'running' : ['running', 'streaming'].includes(state)
      return (
        members.length === this.nodes.length &&
        members.every(isStreaming) &&
        timelines.size === 1 &&
        members.some(({ role }) => role === 'sync_standby')
      )
    })
  }
}

async function createDatabase(site, cluster) {
  const url = cluster.urlAsSuperuser('postgres')
  const psql = (sql) => site.mustRun(['psql', '-XAt', '-v', 'ON_ERROR_STOP=1', '-c', sql, url])
  // HAProxy takes every node for a primary until its first check, and connects to each in turn.
  await waitUntil('HAProxy routes to the primary alone', startMs, async () => {
    for (const _ of cluster.nodes)
      if ((await psql('select pg_is_in_recovery()')) === 't') return false
    return true
  })
  await psql(`create role manilla login password '${databasePassword}'`)
  await psql('create database manilla owner manilla')
}
