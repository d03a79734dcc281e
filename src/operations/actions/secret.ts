import Type from 'typebox'
import { after } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import {
  type KeyOfOldSecret,
  listKeysOfOldSecret,
} from '../../merchants/keys/keys-of-old-secret.js'
import { rotateServiceSecret } from '../changes/rotate-secret.js'
import { type Action, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'

/** The secret of the installation. */
export const secretActions: Action[] = [
  command({
    name: 'secret rotate',
    description: 'continue the replacement of MANILLA_SECRET_OLD by MANILLA_SECRET; safe to repeat',
    input: {
      revokeUnusedFor: Type.Optional(
        fields.read(
          fields.readDuration,
          'revoke the keys that depend on the old secret and were not used for so long, such as 30d',
          { placeholder: 'duration' },
        ),
      ),
      yes: fields.yes,
    },
    async run({ db, seal, now, operator: actor, confirm }, { revokeUnusedFor }) {
      const revokeUnusedSince =
        revokeUnusedFor === undefined ? undefined : after(now, -revokeUnusedFor)
      if (revokeUnusedSince) {
        const unused = await listKeysOfOldSecret(db, now, seal, revokeUnusedSince)
        const isLive = unused.some(({ mode }) => mode === 'live')
        await confirm({
          mode: isLive ? 'live' : 'test',
          facts: unused.map((key) => ['Revoke', describeKey(key)]),
        })
      }
      const rotated = await rotateServiceSecret(db, { seal, now, actor, revokeUnusedSince })
      const { endpoints, answers, merchantValues, waitingCount, isFinished } = rotated
      const revoked = rotated.revoked.map(showKey)
      const waiting = rotated.waiting.map(showKey)
      const done = [
        `Sealed again: ${endpoints} webhook endpoints, ${answers} remembered answers, ${merchantValues} test keys and KYC records.`,
        ...(revoked.length > 0
          ? [`Revoked: ${revoked.length} keys.`, tableOf(revoked, columns)]
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
        tableOf(waiting, columns),
      ]
      return {
        data: { endpoints, answers, merchantValues, revoked, waitingCount, isFinished, waiting },
        text: [...done, ...(isFinished ? end : rest)],
      }
    },
  }),
]

const columns = {
  key: 'key',
  merchant: 'merchant',
  mode: 'mode',
  name: 'name',
  hint: 'hint',
  'last used': 'lastUsedAt',
} as const

function showKey({ id, merchantId, mode, name, hint, lastUsedAt }: KeyOfOldSecret) {
  return {
    key: toReference(prefixes.apiKey, id),
    merchant: toReference(prefixes.merchant, merchantId),
    mode,
    name,
    hint,
    lastUsedAt,
  }
}

function describeKey(shown: KeyOfOldSecret): string {
  const { key, merchant, mode, name, hint } = showKey(shown)
  return [key, merchant, mode, name, hint].join(', ')
}
