import { mails } from './paths/mails.js'
import { testPaths } from './test-paths.js'

testPaths('mails', mails)
