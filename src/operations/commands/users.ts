import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { writeAuditLine } from '../../audit/write-line.js'
import { emailPattern } from '../../base/contact-patterns.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironment } from '../../merchants/environments.js'
import type { Database } from '../../postgres/database.js'
import { createInvitation, type Purpose, revokeLinksOf } from '../../team/invitations.js'
import { deleteFactors, findUserByEmail, listUsers, setDisabled } from '../../team/people.js'
import { type Role, roles } from '../../team/permissions.js'
import { endSessionsOf } from '../../team/sessions.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { formatTime, tableOf } from './table.js'

type FindConsoleUrl = () => string

/** People who sign in to the console. Links are printed once and never logged. */
export function registerUsers(
  program: Command,
  context: OperateContext,
  findConsoleUrl: FindConsoleUrl,
): void {
  const users = program.command('users').description('people who sign in to the console')
  const email = () => new Argument('<email>', 'e-mail address').argParser(readEmail)

  const create = users
    .command('create')
    .description('invite a person; prints a link that works once, for 72 hours')
    .addArgument(email())
    .option('--operator', 'make the person an operator of this installation')
    .addOption(new Option('--merchant <merchant>', 'reference of a merchant to join, mer_…'))
    .addOption(
      new Option('--role <role>', 'role at the merchant').choices([...roles]).default('owner'),
    )
    .option('--test-only', 'without access to live mode')
  setOperation(create, context, (run: Run<CreateOptions>) => invite(run, findConsoleUrl))

  const list = users.command('list').description('list all people, newest first')
  setOperation(list, context, listAll)

  const link = users
    .command('link')
    .description(
      'print a link with which a person sets a new password; it works once, for 72 hours',
    )
    .addArgument(email())
  setOperation(link, context, (run: Run<object>) => makeLink(run, findConsoleUrl))

  const disable = users
    .command('disable')
    .description('sign a person out everywhere and let them sign in no more')
    .addArgument(email())
  setOperation(disable, context, (run: Run<object>) => changeDisabled(run, true))
  const enable = users
    .command('enable')
    .description('let a disabled person sign in again')
    .addArgument(email())
  setOperation(enable, context, (run: Run<object>) => changeDisabled(run, false))

  const reset = users
    .command('reset-factors')
    .description(
      'remove the passkeys, the authenticator app and the recovery codes of a person who lost them',
    )
    .addArgument(email())
  setOperation(reset, context, resetFactors)
}

function readEmail(text: string): string {
  if (!new RegExp(emailPattern).test(text) || text.length > limits.checkout.emailLengthMax)
    throw new InvalidArgumentError('Must be an e-mail address such as ada@example.com.')
  return text.toLowerCase()
}

type CreateOptions = { operator?: true; merchant?: string; role: Role; testOnly?: true }

async function invite(
  { db, now, actor, args, options }: Run<CreateOptions>,
  findConsoleUrl: FindConsoleUrl,
): Promise<CommandOutput> {
  const email = args[0]!.toLowerCase()
  const purpose = await readPurpose(db, options)
  const user = await findUserByEmail(db, email)
  if (user?.isDisabled) throw refuse(`${email} is disabled. Run \`manilla users enable\` first.`)
  const made = await db.transaction(async (tx) => {
    const merchantId = purpose.kind === 'member' ? purpose.merchantId : undefined
    const { merchant, role } = options
    const details = { email, ...(merchantId ? { merchant, role } : { isOperator: true }) }
    writeAuditLine(tx, now, {
      actor,
      action: 'user.invite',
      ...(merchantId && { merchantId }),
      details,
    })
    return createInvitation(tx, now, { email, purpose, makerId: null, createdBy: actor })
  })
  return describeLink(`${findConsoleUrl()}/console/join/${made.token}`, email, made.expiresAt)
}

async function readPurpose(
  db: Database,
  { operator, merchant, role, testOnly }: CreateOptions,
): Promise<Purpose> {
  if (operator ? merchant !== undefined : merchant === undefined)
    throw refuse('Say what the person may do: either --operator, or --merchant with --role.')
  if (merchant === undefined) return { kind: 'operator' }
  const { merchantId } = await getEnvironment(db, { merchant, mode: 'test' })
  return { kind: 'member', merchantId, role, maySeeLive: !testOnly }
}

function describeLink(url: string, email: string, expiresAt: Date): CommandOutput {
  return {
    data: { email, url, expiresAt },
    text: [url, `For ${email} alone. Works once, until ${formatTime(expiresAt)}. Not shown again.`],
  }
}

async function makeLink(
  { db, now, actor, args }: Run<object>,
  findConsoleUrl: FindConsoleUrl,
): Promise<CommandOutput> {
  const { id: userId, email, isDisabled } = await getUserByEmail(db, args[0]!)
  if (isDisabled) throw refuse(`${email} is disabled. Run \`manilla users enable\` first.`)
  const made = await db.transaction(async (tx) => {
    writeAuditLine(tx, now, { actor, action: 'user.password_link', details: { email } })
    const purpose = { kind: 'reset', userId, madeInMerchantId: null } as const
    return createInvitation(tx, now, { email, purpose, makerId: null, createdBy: actor })
  })
  return describeLink(`${findConsoleUrl()}/console/join/${made.token}`, email, made.expiresAt)
}

async function getUserByEmail(db: Database, email: string) {
  const user = await findUserByEmail(db, email)
  if (user) return user
  throw new Refusal('not_found', {
    message: `No user ${email} exists. Invite one with \`manilla users create\`.`,
  })
}

function refuse(message: string): Refusal {
  return new Refusal('validation_failed', { message })
}

async function listAll({ db }: Run<object>): Promise<CommandOutput> {
  const users = await listUsers(db)
  const data = users.map(({ id: _, ...user }) => user)
  const rows = data.map((user) => [
    user.email,
    user.name,
    [...(user.isOperator ? ['operator'] : []), ...user.memberships].join(', ') || 'none',
    user.hasSecondFactor ? 'yes' : 'no',
    user.isDisabled ? 'disabled' : 'active',
    formatTime(user.lastSeenAt),
  ])
  const head = ['e-mail', 'name', 'belongs to', 'second factor', 'state', 'last seen']
  return { data, text: tableOf(head, rows) }
}

async function changeDisabled(
  { db, now, actor, args }: Run<object>,
  isDisabled: boolean,
): Promise<CommandOutput> {
  const { id: userId, email, isDisabled: wasDisabled } = await getUserByEmail(db, args[0]!)
  if (wasDisabled !== isDisabled)
    await db.transaction(async (tx) => {
      setDisabled(tx, now, { userId, isDisabled })
      if (isDisabled) {
        endSessionsOf(tx, now, userId)
        revokeLinksOf(tx, now, { userId, email })
      }
      const action = isDisabled ? 'user.disable' : 'user.enable'
      writeAuditLine(tx, now, { actor, action, details: { email } })
    })
  const state = isDisabled ? 'disabled' : 'active'
  const verb = wasDisabled === isDisabled ? 'was already' : 'is'
  return { data: { email, isDisabled }, text: `${email} ${verb} ${state}.` }
}

async function resetFactors({ db, now, actor, args }: Run<object>): Promise<CommandOutput> {
  const { id: userId, email } = await getUserByEmail(db, args[0]!)
  await db.transaction(async (tx) => {
    deleteFactors(tx, userId)
    endSessionsOf(tx, now, userId)
    writeAuditLine(tx, now, { actor, action: 'user.reset_factors', details: { email } })
  })
  return {
    data: { email },
    text: `${email} has no second factor now, and is signed out. The password still works.`,
  }
}
