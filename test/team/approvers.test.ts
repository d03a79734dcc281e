import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { after, hour } from '../../src/base/clock.js'
import { type ApprovingTeam, judgeApprovers, judgeEnough } from '../../src/team/approvers.js'
import { type AccessLink, explainWait, judgeFreedom } from '../../src/team/shared-access.js'

const now = new Date('2026-11-17T12:00:00Z')
const at = (hours: number) => after(now, hours * hour)

const link = (maker: string, target: string, hours: number): AccessLink => ({
  maker,
  target,
  targetName: target,
  kind: 'joined',
  at: at(hours),
})

function team(members: string[], links: AccessLink[] = []): ApprovingTeam {
  return { members: members.map((id) => ({ id, name: id, approverSince: null })), links }
}

const paid = (creators: string[], approvedBy: string[] = []) => ({
  creators,
  approvedBy,
  waitsSince: now,
})

const namesAndTimes = (approvers: ReturnType<typeof judgeApprovers>) =>
  approvers.map(({ id, from }) => [id, from])

describe('from when on enough members may approve', () => {
  const subject = paid(['operator'])

  test('is from when on the first may, if one is missing', () => {
    const links = [link('operator', 'ada', -20)]
    expect(judgeEnough(team(['ada'], links), subject, 1)).toEqual(at(52))
    expect(judgeEnough(team([]), subject, 1)).toBeUndefined()
  })

  test('is from when on two may who share no access, if two are missing', () => {
    expect(judgeEnough(team(['ada', 'bola']), subject, 2)).toEqual(now)
    const links = [link('ada', 'bola', -20), link('ada', 'chidi', -5)]
    expect(judgeEnough(team(['ada', 'bola'], links), subject, 2)).toEqual(at(52))
    expect(judgeEnough(team(['ada', 'bola', 'chidi'], links), subject, 2)).toEqual(at(52))
    expect(judgeEnough(team(['ada', 'bola', 'dele'], links), subject, 2)).toEqual(now)
    expect(judgeEnough(team(['ada']), subject, 2)).toBeUndefined()
  })
})

describe('who may approve', () => {
  test('is every member but those who created or approved it', () => {
    const found = judgeApprovers(team(['ada', 'bola', 'chidi']), paid(['ada'], ['bola']))
    expect(namesAndTimes(found)).toEqual([['chidi', now]])
    expect(judgeApprovers(team(['ada']), paid(['ada']))).toEqual([])
  })

  test('is a member whom a creator invited 72 hours later, after those who may at once', () => {
    const links = [link('ada', 'bola', -20)]
    const found = judgeApprovers(team(['ada', 'bola', 'chidi'], links), paid(['ada']))
    expect(namesAndTimes(found)).toEqual([
      ['chidi', now],
      ['bola', at(52)],
    ])
    expect(found[1]!.because).toEqual(links[0])
  })

  test('is nobody before they became an approver', () => {
    const { members } = team(['bola'])
    const later = { members: [{ ...members[0]!, approverSince: at(5) }], links: [] }
    expect(namesAndTimes(judgeApprovers(later, paid(['ada'])))).toEqual([['bola', at(5)]])
  })

  test('waits for the last of the links that join them to somebody behind it', () => {
    // One admin made both accounts; the path is free when its first link has ended.
    const links = [link('eve', 'ada', -60), link('eve', 'bola', -2), link('ada', 'eve', -70)]
    const found = judgeApprovers(team(['bola'], links), paid(['ada']))
    expect(namesAndTimes(found)).toEqual([['bola', at(12)]])
    const both = judgeApprovers(team(['bola'], links), paid(['ada'], ['eve']))
    expect(namesAndTimes(both)).toEqual([['bola', at(70)]])
  })
})

test('two users are free exactly from the moment on that was named', () => {
  const users = fc.constantFrom('a', 'b', 'c', 'd')
  const links = fc.array(
    fc.record({ maker: users, target: users, hours: fc.integer({ min: -100, max: 0 }) }),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(links, fc.integer({ min: 0, max: 80 }), (made, hours) => {
      const all = made.map(({ maker, target, hours: given }) => link(maker, target, given))
      const { from, because } = judgeFreedom(all, now, ['a', 'b'])
      const later = judgeFreedom(all, at(hours), ['a', 'b'])
      expect(later.from).toEqual(from > at(hours) ? from : at(hours))
      expect(because === null).toBe(from.getTime() === now.getTime())
      if (because) expect(after(because.at, 72 * hour)).toEqual(from)
    }),
  )
})

test('the reason names the user, what they did and how long ago', () => {
  const freedom = { from: at(52), because: link('ada', 'bola', -20) }
  expect(explainWait(freedom, { userId: 'bola', at: now })).toBe(
    'from 2026-11-19 16:00 UTC, because you joined 20 hours ago',
  )
  expect(explainWait(freedom, { userId: 'chidi', at: at(30) })).toBe(
    'from 2026-11-19 16:00 UTC, because bola joined 2 days ago',
  )
})
