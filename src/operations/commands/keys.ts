import { type Command, Option } from 'commander'
import { writeAuditLine } from '../../audit/write-line.js'
import { hour } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { getEnvironment, listEnvironments, unknownMerchant } from '../../merchants/environments.js'
import { type ApiKey, getKey, type IssuedKey, listKeys } from '../../merchants/keys/api-keys.js'
import { issueKey } from '../../merchants/keys/issue-key.js'
import type { KeyKind } from '../../merchants/keys/key-format.js'
import { rollKey } from '../../merchants/keys/roll-key.js'
import { auditOf, endKey } from '../actions/change-merchants.js'
import {
  collect,
  merchantArgument,
  modeOption,
  readDuration,
  readName,
  readTimeArgument,
} from './arguments.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { formatTime, tableOf } from './table.js'

export function registerKeys(program: Command, context: OperateContext): void {
  const keys = program.command('keys').description("a merchant's API keys")
  setOperation(describeCreate(keys.command('create')), context, createKey)

  const list = keys
    .command('list')
    .description('list the keys of both modes, newest first')
    .argument(...merchantArgument)
  setOperation(list, context, listAll)

  const roll = keys
    .command('roll')
    .description('replace a key with a new one')
    .argument('<key>', 'reference of the key, key_…')
    .addOption(
      new Option('--grace <duration>', 'how long the old key keeps working: 0s to 7d')
        .argParser(readDuration)
        .default(24 * hour, '24h'),
    )
  setOperation(roll, context, rollOne)

  const revoke = keys
    .command('revoke')
    .description('disable a key permanently, effective within a second')
    .argument('<key>', 'reference of the key, key_…')
  setOperation(revoke, context, revokeOne)
}

function describeCreate(command: Command): Command {
  return command
    .description('create a key; it is shown once')
    .argument(...merchantArgument)
    .addOption(modeOption().makeOptionMandatory())
    .addOption(
      new Option('--kind <kind>', 'secret for servers, public for browsers')
        .choices(['secret', 'public'])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--name <name>', 'name of the key').argParser(readName).makeOptionMandatory(),
    )
    .addOption(new Option('--expires <time>', 'expiry, ISO 8601').argParser(readTimeArgument))
    .addOption(
      new Option('--allow <address>', 'allowed IP address or CIDR range; repeatable').argParser(
        collect((text) => text),
      ),
    )
}

type CreateOptions = { mode: Mode; kind: KeyKind; name: string; expires?: Date; allow?: string[] }

async function createKey(run: Run<CreateOptions>): Promise<CommandOutput> {
  const { db, seal, now, actor, options } = run
  const environment = await getEnvironment(db, { merchant: run.args[0]!, mode: options.mode })
  const issued = await db.transaction(async (tx) => {
    const issued = await issueKey(tx, now, {
      seal,
      environment,
      kind: options.kind,
      name: options.name,
      expiresAt: options.expires ?? null,
      allowedAddresses: options.allow ?? [],
    })
    writeAuditLine(tx, now, { actor, action: 'key.create', ...auditOf(issued) })
    return issued
  })
  return { data: showIssued(issued), text: `${describeIssued(issued)}\n${shownOnce}` }
}

async function listAll({ db, now, args: [merchant = ''] }: Run<object>): Promise<CommandOutput> {
  const environments = await listEnvironments(db, merchant)
  if (environments.length === 0) throw unknownMerchant(merchant)
  const keys = await Promise.all(environments.map(({ id }) => listKeys(db, id)))
  const rows = keys
    .flat()
    .map((key) => [
      toReference(prefixes.apiKey, key.id),
      key.hint,
      key.name,
      stateOf(key, now),
      formatTime(key.createdAt),
      formatTime(key.lastUsedAt),
      formatTime(key.expiresAt),
      key.allowedAddresses.join(' ') || 'any',
    ])
  const head = ['reference', 'key', 'name', 'state', 'created', 'last used', 'expires', 'addresses']
  return { data: keys.flat().map(showKey), text: tableOf(head, rows) }
}

async function rollOne(run: Run<{ grace: number }>): Promise<CommandOutput> {
  const { db, seal, now, actor, options, args } = run
  const { environmentId, id } = await getKey(db, args[0]!)
  const rolled = await db.transaction(async (tx) => {
    const rolled = await rollKey(tx, now, { seal, environmentId, id, graceMs: options.grace })
    const audited = auditOf(rolled.issued)
    const details = { ...audited.details, rolledFrom: args[0], oldExpiresAt: rolled.oldExpiresAt }
    writeAuditLine(tx, now, { actor, action: 'key.roll', ...audited, details })
    return rolled
  })
  const until = `The old key ${args[0]} works until ${formatTime(rolled.oldExpiresAt)}.`
  return {
    data: { ...showIssued(rolled.issued), rolledFrom: args[0], oldExpiresAt: rolled.oldExpiresAt },
    text: `${describeIssued(rolled.issued)}\n${shownOnce}\n${until}`,
  }
}

async function revokeOne({ db, now, actor, args }: Run<object>): Promise<CommandOutput> {
  const { environmentId, id } = await getKey(db, args[0]!)
  const { key, isFresh } = await db.transaction((tx) =>
    endKey(tx, now, { environmentId, id }, actor),
  )
  const result = isFresh ? 'revoked' : `was already revoked at ${formatTime(key.revokedAt)}`
  return { data: showKey(key), text: `${args[0]} (${key.hint}) ${result}.` }
}

export const shownOnce = 'Store these keys now. They are not shown again.'

export function describeIssued(issued: IssuedKey): string {
  return `${toReference(prefixes.apiKey, issued.id)}  ${issued.key.reveal()}`
}

export function showIssued(issued: IssuedKey): object {
  return { ...showKey(issued), key: issued.key.reveal() }
}

export function showKey(shown: ApiKey) {
  const { mode, kind, name, hint, allowedAddresses, createdAt, lastUsedAt } = shown
  return {
    reference: toReference(prefixes.apiKey, shown.id),
    mode,
    kind,
    name,
    hint,
    allowedAddresses,
    createdAt,
    lastUsedAt,
    expiresAt: shown.expiresAt,
    revokedAt: shown.revokedAt,
    rolledInto: shown.rolledInto && toReference(prefixes.apiKey, shown.rolledInto),
  }
}

export function stateOf(key: ApiKey, now: Date): string {
  if (key.revokedAt) return 'revoked'
  if (key.expiresAt && key.expiresAt <= now) return 'expired'
  return key.rolledInto ? 'rolled, in grace period' : 'active'
}
