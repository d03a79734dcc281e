import { type Command, Option } from 'commander'
import { after } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import {
  type KeyOfOldSecret,
  listKeysOfOldSecret,
} from '../../merchants/keys/keys-of-old-secret.js'
import { rotateSecret } from '../actions/rotate-secret.js'
import { readDuration } from './arguments.js'
import {
  type CommandOutput,
  type OperateContext,
  type Run,
  setOperation,
  yesFlag,
} from './operation.js'
import { formatTime, tableOf } from './table.js'

export function registerSecret(program: Command, context: OperateContext): void {
  const secret = program.command('secret').description('the secret of this service')
  const rotate = secret
    .command('rotate')
    .description('continue the replacement of MANILLA_SECRET_OLD by MANILLA_SECRET; safe to repeat')
    .addOption(
      new Option(
        '--revoke-unused-for <duration>',
        'revoke the keys that depend on the old secret and were not used for so long, such as 30d',
      ).argParser(readDuration),
    )
    .option(...yesFlag)
  setOperation<Options>(rotate, context, run)
}

/** In milliseconds. */
type Options = { revokeUnusedFor?: number }

async function run({
  db,
  seal,
  now,
  actor,
  options,
  confirm,
}: Run<Options>): Promise<CommandOutput> {
  const { revokeUnusedFor } = options
  const revokeUnusedSince = revokeUnusedFor === undefined ? undefined : after(now, -revokeUnusedFor)
  if (revokeUnusedSince) {
    const unused = await listKeysOfOldSecret(db, now, seal, revokeUnusedSince)
    const isLive = unused.some(({ mode }) => mode === 'live')
    await confirm({
      mode: isLive ? 'live' : 'test',
      facts: unused.map((key) => ['Revoke', describe(key).slice(0, 5).join(', ')]),
    })
  }
  const progress = await rotateSecret(db, { seal, now, actor, revokeUnusedSince })
  const { endpoints, answers, merchantValues, waitingCount, isFinished } = progress
  const done = [
    `Sealed again: ${endpoints} webhook endpoints, ${answers} remembered answers, ${merchantValues} test keys and KYC records.`,
    ...(progress.revoked.length > 0
      ? [`Revoked: ${progress.revoked.length} keys.`, tableOf(head, progress.revoked.map(describe))]
      : []),
  ]
  const end = [
    'Nothing depends on the old secret. Remove MANILLA_SECRET_OLD (or the file secret.old in',
    'MANILLA_HOME) everywhere and restart the processes.',
  ]
  const rest = [
    `${waitingCount} API keys still depend on the old secret. Each changes over within seconds of its`,
    'next use. Run this command again later. For keys that are no longer used, add',
    '--revoke-unused-for 30d.',
    '',
    tableOf(head, progress.waiting.map(describe)),
  ]
  return {
    data: {
      endpoints,
      answers,
      merchantValues,
      revoked: progress.revoked.map(toData),
      waitingCount,
      isFinished,
      waiting: progress.waiting.map(toData),
    },
    text: [...done, ...(isFinished ? end : rest)],
  }
}

const head = ['key', 'merchant', 'mode', 'name', 'hint', 'last used']

function describe(key: KeyOfOldSecret): string[] {
  const { key: reference, merchant, mode, name, hint, lastUsedAt } = toData(key)
  return [reference, merchant, mode, name, hint, formatTime(lastUsedAt)]
}

function toData({ id, merchantId, mode, name, hint, lastUsedAt }: KeyOfOldSecret) {
  return {
    key: toReference(prefixes.apiKey, id),
    merchant: toReference(prefixes.merchant, merchantId),
    mode,
    name,
    hint,
    lastUsedAt,
  }
}
