import { afterAll, beforeAll, expect, test } from 'vitest'

// Registered before the module is loaded, so it runs after the module's own hook.
const ran: string[] = []
afterAll(() => {
  expect(ran).toEqual(['by a test', 'by a hook'])
})

const { afterFile } = await import('./after-file.js')
beforeAll(() => afterFile(() => ran.push('by a hook')))

test('work that a hook or a test registers runs after the file, the latest first', () => {
  afterFile(() => ran.push('by a test'))
  expect(ran).toEqual([])
})
