import { expect, test } from 'vitest'
import { judgePassword } from '../../src/team/judge-password.js'

const owner = { email: 'chidi.eze@lagospay.example', name: 'Chidi Nwachukwu' }

test.each([
  'short',
  'elevenchars',
  'password1234',
  'P@ssw0rd2026!',
  'Passwort-2026',
  'aaaaaaaaaaaaaaaa',
  'abcabcabcabcabc',
  '123456789012',
  '210987654321',
  'qwertyuiop123',
  '1q2w3e4r5t6y7u',
  'Welcome2Nigeria',
  'iloveyouforever',
  'letmeinletmein',
  'correct horse battery staple',
  'Monday-Tuesday-1999',
  'chidi.eze@lagospay.example',
  'my dear nwachukwu, open up',
  'long words about lagospay',
  'x'.repeat(201),
])('refuses %s', (password) => {
  expect(judgePassword(password, owner)).toBeTypeOf('string')
})

test.each([
  'ripe mango under seven umbrellas',
  'nine brown bottles float upstream',
  'kT9#vLq2!wZ8',
  'ọjọ́ dára gan fún ìrìn àjò',
  'zebra-crossing-with-velvet-rope',
])('accepts %s', (password) => {
  expect(judgePassword(password, owner)).toBeUndefined()
})
