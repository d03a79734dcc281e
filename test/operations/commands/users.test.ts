import { expect, test } from 'vitest'
import { fromReference, prefixes, toReference } from '../../../src/base/ids.js'
import { createInvitation, findInvitation } from '../../../src/team/invitations.js'
import { freshDatabase } from '../../support/database.js'
import { addUser } from '../../support/sign-in.js'
import { clock, createConsole, seal } from './commands.js'

const db = await freshDatabase()
const { run, runJson } = createConsole(db)

async function openMerchant() {
  const { reference } = await runJson('merchants', 'create', 'Ada Stores')
  return { reference } as Parameters<typeof addUser>[0]['merchant']
}

test('a link invites an operator or a member, and is printed once', async () => {
  const { reference } = await openMerchant()
  const operator = await runJson('users', 'create', 'Ops@Example.com', '--operator')
  expect(operator.url).toMatch(/^https:\/\/console\.example\/console\/join\/[\w-]{43}$/)
  const member = await runJson('users', 'create', 'ada@example.com', '--merchant', reference)
  const findOf = ({ url }: { url: string }) =>
    findInvitation(db, clock.now(), url.split('/').at(-1)!)
  expect(await findOf(operator)).toMatchObject({
    email: 'ops@example.com',
    purpose: { kind: 'operator' },
  })
  expect(await findOf(member)).toMatchObject({
    email: 'ada@example.com',
    purpose: { kind: 'member', role: 'owner', maySeeLive: true },
  })
  // A second link replaces the first.
  await runJson('users', 'create', 'ada@example.com', '--merchant', reference)
  expect(await findOf(member)).toBeUndefined()
  const lines = await runJson('audit', 'list')
  expect(lines[0]).toMatchObject({ actor: 'ada', action: 'user.invite' })
  expect(JSON.stringify(lines)).not.toContain(operator.url.split('/').at(-1))
})

test.each([
  [['create', 'ada'], 'Must be an e-mail address'],
  [['create', 'ada@example.com'], 'either --operator, or --merchant'],
  [['create', 'a@b.co', '--operator', '--merchant', 'mer_1'], 'either --operator, or --merchant'],
  [['create', 'a@b.co', '--merchant', 'mer_1'], 'No merchant mer_1 exists'],
  [['link', 'nobody@example.com'], 'No user nobody@example.com exists'],
  [['disable', 'nobody@example.com'], 'No user nobody@example.com exists'],
])('refuses users %j', async (words, message) => {
  const { exitCode, err } = await run('users', ...words)
  expect({ exitCode, err }).toEqual({ exitCode: 1, err: expect.stringContaining(message) })
})

test('the operator lists, disables and helps people who lost their factors', async () => {
  const merchant = await openMerchant()
  const email = 'chidi@example.com'
  await addUser({ db, clock, seal, merchant }, { email, role: 'admin', hasTotp: true })
  const listed = async () => {
    const users: { email: string }[] = await runJson('users', 'list')
    return users.find((user) => user.email === email)
  }
  expect(await listed()).toMatchObject({
    hasSecondFactor: true,
    memberships: ['Ada Stores (admin)'],
    isDisabled: false,
  })
  expect((await run('users', 'list')).out).toMatch(/chidi@example\.com.*Ada Stores \(admin\).*yes/)
  expect((await run('users', 'reset-factors', email)).out).toContain('no second factor now')
  expect(await listed()).toMatchObject({ hasSecondFactor: false })
  expect((await run('users', 'link', email)).out).toContain('https://console.example/console/join/')
  expect((await run('users', 'disable', email)).out).toContain('is disabled')
  expect((await run('users', 'disable', email)).out).toContain('was already disabled')
  expect((await run('users', 'link', email)).err).toContain('is disabled')
  expect((await run('users', 'enable', email)).out).toContain('is active')
})

test('disabling a user ends every link for and by them', async () => {
  const { reference } = await openMerchant()
  const merchant = { reference } as Parameters<typeof addUser>[0]['merchant']
  const email = 'dayo@example.com'
  const { userId } = await addUser({ db, clock, seal, merchant }, { email, role: 'owner' })
  const merchantId = fromReference(prefixes.merchant, reference)!
  const byThem = await db.transaction(async (tx) =>
    createInvitation(tx, clock.now(), {
      email: 'efe@example.com',
      purpose: { kind: 'member', merchantId, role: 'viewer', maySeeLive: false },
      makerId: userId,
      createdBy: toReference(prefixes.user, userId),
    }),
  )
  const forThem = await runJson('users', 'link', email)
  const invited = await runJson('users', 'create', email, '--operator')
  const tokens = [byThem.token, ...[forThem, invited].map(({ url }) => url.split('/').at(-1)!)]
  const open = () => Promise.all(tokens.map((token) => findInvitation(db, clock.now(), token)))
  expect((await open()).every(Boolean)).toBe(true)
  await run('users', 'disable', email)
  await run('users', 'enable', email)
  expect(await open()).toEqual([undefined, undefined, undefined])
})
