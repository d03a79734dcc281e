/**
 * Attributes processor time to the steps of a life: Node's by the module that runs, from CPU
 * profiles; PostgreSQL's by the name of the statement.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A sample belongs to the innermost frame that one of these matches: writing rows counts to the
 * step that writes them.
 */
const stepsOfModules = [
  ['request log', /^(request-log\/|api\/observe\/log-requests)/],
  ['deliveries', /^webhooks\//],
  ['events', /^events\//],
  ['ledger', /^ledger\//],
  [
    'send',
    /^(payouts\/requests\/(send-new|instruct-rail)|rails\/solana\/payouts\/send|simulation\/sandbox-bank\/(receive-orders|judge-instruction|store-transfers))/,
  ],
  ['judge', /^(collections\/|wallets\/|simulation\/sandbox-bank\/(notice|collections))/],
  [
    'check',
    /^(rails\/solana\/payouts\/(check-attempts|judge-attempt|find-confirmed)|simulation\/sandbox-bank\/)/,
  ],
  ['claim', /^payouts\/attempts\/(poll-|live-attempts|unfinished)/],
  ['conclude', /^payouts\/attempts\//],
  ['create', /^(payouts|idempotency|rails|api\/pipeline|api\/routes\/payouts)\//],
]
/** Samples in which no step runs, such as the parsing of requests and of rows. */
const partsOfModules = [
  ['jobs', /^(processes\/work|operations\/|postgres\/due)/],
  ['edge', /^(api\/|base\/|node_modules\/(fastify|find-my-way|pino)|node:(_?http|internal\/http))/],
  ['database client', /^(postgres\/|node_modules\/pg)/],
]
const partsOfFunctions = { '(garbage collector)': 'garbage collection', '(program)': 'runtime' }

const stepsOfStatements = [
  ['commit', /^(begin|commit|rollback|set )/],
  ['request log', /request_log/],
  ['deliveries', /deliver|endpoint/],
  ['events', /events/],
  ['ledger', /(lock_accounts|unheld_accounts|update_accounts|insert_transfers|list_balances)/],
  ['claim', /(claim_due|postpone)_payout_attempts/],
  [
    'conclude',
    /finish_payouts|lock_payouts|end_payout|find_holds|find_resolved|resolutions|disputes/,
  ],
  ['send', /insert_sandbox_transfers/],
  ['check', /sandbox_(transfers|endings)/],
  ['judge', /notice|collection_accounts|insert_payments|policies|payments/],
  [
    'create',
    /payout|idempotency|remember_answers|merchant_reference|fee_schedules|wallets|paused|under_rule/,
  ],
]

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const moduleComment = /^\/\/ dist\.building\/(\S+\.js)$/
const joinedFile = /^\/\/ dist\.building\//m
const declaration = /^(?:export )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)/
const modulesOfFiles = new Map()
let owners

/** Replaces the file of every frame with its module, so that the profile outlives the build. */
export function nameModules(profile) {
  for (const { callFrame } of profile.nodes) callFrame.url = moduleOf(callFrame)
  return profile
}

/** Microseconds by step in a CPU profile with named modules, without idle time. */
export function sumSteps(profile) {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  )
  const stepOfNode = new Map()
  const stepOf = (id) => {
    if (!stepOfNode.has(id)) stepOfNode.set(id, findStep(nodes, parents, id))
    return stepOfNode.get(id)
  }
  const sums = {}
  for (const [index, id] of profile.samples.entries()) {
    const step = stepOf(id)
    if (step === undefined) continue
    sums[step] = (sums[step] ?? 0) + profile.timeDeltas[index]
  }
  return sums
}

/** Undefined for idle time and for the profiler itself. */
function findStep(nodes, parents, id) {
  if (nodes.get(id).callFrame.functionName === '(idle)') return undefined
  const modules = []
  for (let at = id; at !== undefined; at = parents.get(at))
    modules.push(nodes.get(at).callFrame.url)
  if (modules.includes('node:inspector')) return undefined
  for (const table of [stepsOfModules, partsOfModules])
    for (const module of modules) {
      const match = table.find(([, pattern]) => pattern.test(module))
      if (match) return match[0]
    }
  return partsOfFunctions[nodes.get(id).callFrame.functionName] ?? 'other'
}

/** The source of a frame. The build joins modules into files. */
function moduleOf({ url, lineNumber }) {
  if (!url.startsWith('file:')) return url
  const file = fileURLToPath(url)
  if (!file.startsWith(dist)) return file.slice(file.lastIndexOf('node_modules/'))
  if (!modulesOfFiles.has(file)) modulesOfFiles.set(file, findModules(file))
  const start = modulesOfFiles.get(file).findLast(({ line }) => line <= lineNumber)
  return start?.module ?? file.slice(dist.length)
}

/**
 * Where each module starts in a joined file. A comment names most of them; the others are known by
 * what they declare, if no other module declares the same name.
 */
function findModules(file) {
  owners ??= findOwners()
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, line) => {
      const module = moduleComment.exec(text)?.[1] ?? owners.get(declaration.exec(text)?.[1])
      return module ? [{ line, module }] : []
    })
}

/** The modules of names that only one module declares. */
function findOwners() {
  const found = new Map()
  for (const file of readdirSync(dist, { recursive: true })) {
    if (!file.endsWith('.js') || file.startsWith('bundled/')) continue
    const text = readFileSync(path.join(dist, file), 'utf8')
    // Programs are joined files themselves.
    if (joinedFile.test(text)) continue
    for (const [, name] of text.matchAll(new RegExp(declaration, 'gm')))
      found.set(name, found.has(name) ? undefined : file)
  }
  return found
}

/** Microseconds by step of what `logStatements` returned. */
export function sumStatements(statements) {
  const sums = {}
  for (const { name, us } of statements) {
    const step = stepsOfStatements.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other'
    sums[step] = (sums[step] ?? 0) + us
  }
  return sums
}
