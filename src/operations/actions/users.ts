import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { emailPattern } from '../../base/contact-patterns.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironment } from '../../merchants/environments.js'
import type { Database } from '../../postgres/database.js'
import { createInvitation, type LinkPurpose, revokeLinksOf } from '../../team/invitations.js'
import { roles } from '../../team/permissions.js'
import { endSessionsOf } from '../../team/sessions.js'
import { deleteFactors, findUserByEmail, listUsers, setDisabled } from '../../team/users.js'
import { auditOperator, type OperatorLine } from '../changes/audit-operator.js'
import { type Action, type CommandCall, command, type InputOf } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { formatTime, tableOf } from '../definitions/table.js'

const email = fields.read(readEmail, 'e-mail address')

const access = {
  operator: fields.flag('make the user an operator of this installation'),
  merchant: Type.Optional(fields.text('reference of a merchant to join, mer_…')),
  role: Type.Enum([...roles], { description: 'role at the merchant', default: 'owner' }),
  testOnly: fields.flag('without access to live mode'),
}

/** Users of the console. Links are printed once and never logged. */
export const userActions: Action[] = [
  command({
    name: 'users create',
    description: 'invite a user; prints a link that works once, for 72 hours',
    args: ['email'],
    input: { email, ...access },
    async run(call, { email, ...given }) {
      const purpose = await readPurpose(call.db, given)
      const user = await findUserByEmail(call.db, email)
      if (user?.isDisabled) throw isDisabledUser(email)
      const { merchant, role } = given
      const line =
        purpose.kind === 'member'
          ? { merchantId: purpose.merchantId, details: { email, merchant, role } }
          : { details: { email, isOperator: true } }
      return makeLink(call, { email, purpose, line: { action: 'user.invite', ...line } })
    },
  }),
  command({
    name: 'users list',
    description: 'list all users, newest first',
    async run({ db }) {
      const data = (await listUsers(db)).map(({ id: _, ...user }) => user)
      const text = tableOf(data, {
        'e-mail': 'email',
        name: 'name',
        'belongs to': ({ isOperator, memberships }) =>
          [...(isOperator ? ['operator'] : []), ...memberships].join(', ') || 'none',
        'second factor': ({ hasSecondFactor }) => (hasSecondFactor ? 'yes' : 'no'),
        state: ({ isDisabled }) => (isDisabled ? 'disabled' : 'active'),
        'last seen': 'lastSeenAt',
      })
      return { data, text }
    },
  }),
  command({
    name: 'users link',
    description: 'print a link with which a user sets a new password; it works once, for 72 hours',
    args: ['email'],
    input: { email },
    async run(call, input) {
      const { id: userId, email, isDisabled } = await getUserByEmail(call.db, input.email)
      if (isDisabled) throw isDisabledUser(email)
      const purpose = { kind: 'reset', userId, madeInMerchantId: null } as const
      const line = { action: 'user.password_link', details: { email } }
      return makeLink(call, { email, purpose, line })
    },
  }),
  disabling('disable', 'sign a user out everywhere and refuse their sign-in'),
  disabling('enable', 'let a disabled user sign in again'),
  command({
    name: 'users reset-factors',
    description:
      'remove the passkeys, the authenticator app and the recovery codes of a user who lost them',
    args: ['email'],
    input: { email },
    async run({ db, now, operator }, input) {
      const { id: userId, email } = await getUserByEmail(db, input.email)
      await db.transaction(async (tx) => {
        deleteFactors(tx, userId)
        endSessionsOf(tx, now, userId)
        auditOperator(tx, now, operator, { action: 'user.reset_factors', details: { email } })
      })
      return {
        data: { email },
        text: `${email} has no second factor now, and is signed out. The password still works.`,
      }
    },
  }),
]

function disabling(verb: 'disable' | 'enable', description: string): Action {
  const isDisabled = verb === 'disable'
  return command({
    name: `users ${verb}`,
    description,
    args: ['email'],
    input: { email },
    async run({ db, now, operator }, input) {
      const { id: userId, email, isDisabled: wasDisabled } = await getUserByEmail(db, input.email)
      const isFresh = wasDisabled !== isDisabled
      if (isFresh)
        await db.transaction(async (tx) => {
          setDisabled(tx, now, { userId, isDisabled })
          if (isDisabled) {
            endSessionsOf(tx, now, userId)
            revokeLinksOf(tx, now, { userId, email })
          }
          auditOperator(tx, now, operator, { action: `user.${verb}`, details: { email } })
        })
      const state = isDisabled ? 'disabled' : 'active'
      return {
        data: { email, isDisabled },
        text: `${email} ${isFresh ? 'is' : 'was already'} ${state}.`,
      }
    },
  })
}

function readEmail(text: string): string {
  if (!new RegExp(emailPattern).test(text) || text.length > limits.checkout.emailLengthMax)
    throw new InvalidArgumentError('Must be an e-mail address such as ada@example.com.')
  return text.toLowerCase()
}

async function readPurpose(
  db: Database,
  { operator, merchant, role, testOnly }: InputOf<typeof access>,
): Promise<LinkPurpose> {
  if (operator ? merchant !== undefined : merchant === undefined)
    throw refuse('Say what the user may do: either --operator, or --merchant with --role.')
  if (merchant === undefined) return { kind: 'operator' }
  const { merchantId } = await getEnvironment(db, { merchant, mode: 'test' })
  return { kind: 'member', merchantId, role, maySeeLive: !testOnly }
}

async function makeLink(
  { db, now, operator, service }: CommandCall,
  { email, purpose, line }: { email: string; purpose: LinkPurpose; line: OperatorLine },
) {
  const { token, expiresAt } = await db.transaction(async (tx) => {
    auditOperator(tx, now, operator, line)
    return createInvitation(tx, now, { email, purpose, makerId: null, createdBy: operator })
  })
  const url = `${await service.findConsoleUrl()}/console/join/${token}`
  return {
    data: { email, url, expiresAt },
    text: [url, `For ${email} alone. Works once, until ${formatTime(expiresAt)}. Not shown again.`],
  }
}

async function getUserByEmail(db: Database, email: string) {
  const user = await findUserByEmail(db, email)
  if (user) return user
  throw new Refusal('not_found', {
    message: `No user ${email} exists. Invite one with \`manilla users create\`.`,
  })
}

function isDisabledUser(email: string): Refusal {
  return refuse(`${email} is disabled. Run \`manilla users enable\` first.`)
}

function refuse(message: string): Refusal {
  return new Refusal('validation_failed', { message })
}
