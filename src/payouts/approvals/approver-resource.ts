import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { flag, orNull, reference, text, timestamp } from '../../base/shapes.js'
import type { Approver } from '../../team/approvers.js'

const user = {
  id: reference(prefixes.user, 'Identifies the member.'),
  name: text('Bola Ade', 'Name of the member.'),
}

/** Who may approve a transfer or a batch, the first who may first. */
export const approvers = Type.Array(
  Type.Object({
    ...user,
    from: timestamp('The approval of this member is accepted from this time on.'),
    mayNow: flag(true, 'Whether that time has come.'),
    because: orNull(
      Type.Object({
        kind: Type.Enum(['joined', 'password', 'right'], {
          description:
            '`joined` by a link, set a `password` by a link, or got the `right` to approve.',
          examples: ['joined'],
        }),
        ...user,
        at: timestamp('When.'),
      }),
      'What delays this member; `from` is 72 hours later. Null if nothing does.',
    ),
  }),
  {
    description: 'Members who may approve it, without its creators and those who have approved it.',
  },
)

export function showApprover(
  { id, name, from, because }: Approver,
  now: Date,
): Static<typeof approvers>[number] {
  return {
    id: toReference(prefixes.user, id),
    name,
    from: toIsoText(from),
    mayNow: from <= now,
    because: because && {
      kind: because.kind,
      id: toReference(prefixes.user, because.target),
      name: because.targetName,
      at: toIsoText(because.at),
    },
  }
}
