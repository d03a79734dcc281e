import type { Command } from 'commander'
import { prefixes, toReference } from '../../base/ids.js'
import { rotateSecret } from '../rotate-secret.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { formatTime, tableOf } from './table.js'

export function registerSecret(program: Command, context: OperateContext): void {
  const secret = program.command('secret').description('the secret of this service')
  const rotate = secret
    .command('rotate')
    .description('continue the replacement of MANILLA_SECRET_OLD by MANILLA_SECRET; safe to repeat')
    .option(
      '--revoke-unused',
      'revoke keys that still depend on the old secret, unless used within the last hour',
    )
  setOperation<{ revokeUnused?: boolean }>(rotate, context, run)
}

async function run({
  db,
  seal,
  now,
  actor,
  options,
}: Run<{ revokeUnused?: boolean }>): Promise<CommandOutput> {
  const revokesUnused = options.revokeUnused ?? false
  const progress = await rotateSecret(db, { seal, now, actor, revokesUnused })
  const { endpoints, answers, revoked, waitingCount, isFinished } = progress
  const waiting = progress.waiting.map(({ id, merchantId, mode, name, hint, lastUsedAt }) => ({
    key: toReference(prefixes.apiKey, id),
    merchant: toReference(prefixes.merchant, merchantId),
    mode,
    name,
    hint,
    lastUsedAt,
  }))
  const done = [
    `Sealed again: ${endpoints} webhook endpoints, ${answers} remembered answers.`,
    ...(revoked > 0 ? [`Revoked: ${revoked} keys.`] : []),
  ]
  const end = [
    'Nothing depends on the old secret. Remove MANILLA_SECRET_OLD (or the file secret.old in',
    'MANILLA_HOME) everywhere and restart the processes.',
  ]
  const rest = [
    `${waitingCount} API keys still depend on the old secret. Each changes over within seconds of its`,
    'next use. Run this command again later, or revoke them with --revoke-unused.',
    '',
    tableOf(
      ['key', 'merchant', 'mode', 'name', 'hint', 'last used'],
      waiting.map((one) => [
        one.key,
        one.merchant,
        one.mode,
        one.name,
        one.hint,
        formatTime(one.lastUsedAt),
      ]),
    ),
  ]
  return {
    data: { endpoints, answers, revoked, waitingCount, isFinished, waiting },
    text: [...done, ...(isFinished ? end : rest)],
  }
}
